/* SPDX-License-Identifier: MIT */
/*
 * For authors of codecs, data types, chunk grids, chunk key encodings and stores. The built-in ones use nothing else.
 *
 * A class is one const struct of callbacks. It holds no state and is shared by all threads. NULL callbacks have the
 * default that stands beside them. The interface has its own version: ZL_EXTEND_VERSION changes when a class written for
 * an older one would no longer compile or work; structs only grow at their end, and `size` says how much of one is known.
 *
 * Lifetimes need no destructors: what parse, resolve and bind make is allocated from an arena that outlives its users.
 */
#ifndef ZARRLITE_EXTEND_H
#define ZARRLITE_EXTEND_H

#include "zarrlite/zarrlite.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZL_EXTEND_VERSION 1
#define ZL_MAX_RANK 32

/* ------------------------------------------------------------------------------------------------ errors and memory */

#if defined(__GNUC__)
#define ZL_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define ZL_PRINTF(format_index, first)
#endif

/* Fills `err` (may be NULL) and returns `status`: `return zl_fail(err, ZL_ERR_CORRUPT, "zstd: ...", ...)`. The text is cut
 * at a whole UTF-8 character where it does not fit. */
ZL_API zl_status zl_fail(zl_error *err, zl_status status, const char *format, ...) ZL_PRINTF(3, 4);
/* Puts a prefix ("chunk c/0/3: ") in front of the message of a failure and returns its status. */
ZL_API zl_status zl_error_wrap(zl_error *err, zl_status status, const char *format, ...) ZL_PRINTF(3, 4);

/* Memory that is freed all at once. */
typedef struct zl_arena zl_arena;
/* `size` bytes with that alignment, or NULL: out of memory. Size 0 gives a valid pointer. */
ZL_API void *zl_arena_alloc(zl_arena *arena, size_t size, size_t align);
/* A copy of `size` bytes with a NUL byte behind them, or NULL. */
ZL_API char *zl_arena_text(zl_arena *arena, const char *text, size_t size);

/* Bytes that somebody else owns. */
typedef struct zl_span {
    const uint8_t *data;
    size_t size;
} zl_span;

/* Bytes with an owner: `release` (may be NULL) is called once when they are no longer needed. */
typedef struct zl_bytes {
    const uint8_t *data;
    size_t size;
    void (*release)(void *owner);
    void *owner;
} zl_bytes;
/* Calls release and zeroes. */
ZL_API void zl_bytes_release(zl_bytes *bytes);

/* A byte range of a stored object. */
typedef struct zl_range {
    uint64_t offset;
    uint64_t length;
} zl_range;

/* Output of a codec. `fixed`: `data` is somebody's memory of exactly `cap` bytes to be filled completely. Otherwise `data`
 * grows up to `max` bytes by zl_sink_reserve. `size` counts what was written. */
typedef struct zl_sink {
    uint8_t *data;
    size_t size;
    size_t cap;
    size_t max;
    bool fixed;
    const zl_allocator *allocator;
} zl_sink;
/* Makes room for `more` bytes behind `size`. LIMIT past `max` or a fixed end, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_sink_reserve(zl_sink *sink, size_t more, zl_error *err);
/* Reserves and copies. */
ZL_API ZL_MUST_CHECK zl_status zl_sink_append(zl_sink *sink, const void *data, size_t size, zl_error *err);

/* ------------------------------------------------------------------------------------------------ JSON */

/* A value of a parsed document, immutable; it lives as long as the document. */
typedef struct zl_json zl_json;
typedef enum zl_json_type {
    ZL_JSON_NULL,
    ZL_JSON_BOOL,
    ZL_JSON_NUMBER,
    ZL_JSON_STRING,
    ZL_JSON_ARRAY,
    ZL_JSON_OBJECT
} zl_json_type;

ZL_API zl_json_type zl_json_get_type(const zl_json *value);
/* Number of elements or members; 0 for other types. */
ZL_API size_t zl_json_count(const zl_json *value);
/* First element or member, and the one behind; NULL at the end. Document order. */
ZL_API const zl_json *zl_json_first(const zl_json *value);
ZL_API const zl_json *zl_json_next(const zl_json *value);
/* Member of an object, or NULL: absent, or `value` is NULL or no object. */
ZL_API const zl_json *zl_json_member(const zl_json *value, const char *key);
/* Key of a member, NUL-terminated UTF-8 (`size` may be NULL; keys may contain NUL); NULL for what is not a member. */
ZL_API const char *zl_json_key(const zl_json *value, size_t *size);
/* Decoded text of a string, or the exact text of a number, NUL-terminated; NULL for other types. */
ZL_API const char *zl_json_text(const zl_json *value, size_t *size);
/* Is it the string `text`? */
ZL_API bool zl_json_is(const zl_json *value, const char *text);
/* JSON pointer of the value in its document ("/codecs/0/configuration"), cut to `cap` with the NUL byte; "" is the root. */
ZL_API const char *zl_json_path(const zl_json *value, char *buffer, size_t cap);
/* zl_fail with the value's JSON path in front of the message. */
ZL_API zl_status zl_json_fail(const zl_json *value, zl_error *err, zl_status status, const char *format, ...)
    ZL_PRINTF(4, 5);

/* Conversions. METADATA, with path and value: wrong type, out of range; integers have no fraction and no exponent. */
ZL_API ZL_MUST_CHECK zl_status zl_json_to_bool(const zl_json *value, bool *out, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_json_to_i64(const zl_json *value, int64_t *out, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_json_to_u64(const zl_json *value, uint64_t *out, zl_error *err);
/* Correctly rounded; a number that overflows is METADATA. */
ZL_API ZL_MUST_CHECK zl_status zl_json_to_double(const zl_json *value, double *out, zl_error *err);
/* The required member `key` of an object; METADATA when it is absent. `object` may be NULL (a missing configuration): then
 * `err` says that `key` is missing. */
ZL_API ZL_MUST_CHECK zl_status zl_json_require(const zl_json *object, const char *key, const zl_json **out, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_json_get_bool(const zl_json *object, const char *key, bool *out, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_json_get_i64(const zl_json *object, const char *key, int64_t *out, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_json_get_u64(const zl_json *object, const char *key, uint64_t *out, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_json_get_double(const zl_json *object, const char *key, double *out, zl_error *err);
/* A string among `choices` (NULL-terminated); `out` is its index. */
ZL_API ZL_MUST_CHECK zl_status zl_json_get_choice(const zl_json *object, const char *key, const char *const *choices,
                                                  int *out, zl_error *err);
/* METADATA when the object has a member that is not among `keys` (NULL-terminated). A NULL object passes. */
ZL_API ZL_MUST_CHECK zl_status zl_json_only(const zl_json *object, const char *const *keys, zl_error *err);

/* Writes a document piece by piece. The first failure sticks; zl_json_writer_finish (internal) reports it. */
typedef struct zl_json_writer zl_json_writer;
ZL_API void zl_json_write_object(zl_json_writer *writer);
ZL_API void zl_json_write_array(zl_json_writer *writer);
/* Ends the innermost open object or array. */
ZL_API void zl_json_write_end(zl_json_writer *writer);
ZL_API void zl_json_write_key(zl_json_writer *writer, const char *key);
ZL_API void zl_json_write_null(zl_json_writer *writer);
ZL_API void zl_json_write_bool(zl_json_writer *writer, bool value);
ZL_API void zl_json_write_i64(zl_json_writer *writer, int64_t value);
ZL_API void zl_json_write_u64(zl_json_writer *writer, uint64_t value);
/* Shortest text that reads back as the same double, always with a fraction or exponent ("1.0"). Finite values only. */
ZL_API void zl_json_write_double(zl_json_writer *writer, double value);
ZL_API void zl_json_write_text(zl_json_writer *writer, const char *text);
ZL_API void zl_json_write_string(zl_json_writer *writer, const char *text, size_t size);
/* A number by its text, which must be valid JSON. */
ZL_API void zl_json_write_number(zl_json_writer *writer, const char *text, size_t size);
/* A copy of a parsed value, exact number texts and key order included. */
ZL_API void zl_json_write_value(zl_json_writer *writer, const zl_json *value);

/* ------------------------------------------------------------------------------------------------ environment */

typedef struct zl_registry zl_registry;

/* What parse and resolve may use. */
typedef struct zl_env {
    size_t size;
    zl_arena *arena;             /* lives as long as the metadata */
    const zl_limits *limits;     /* all members set */
    const zl_registry *registry; /* classes of the context beside the built-in ones */
    int32_t zarr_format;         /* 2 or 3 */
    int32_t depth;               /* how many shards are around this codec */
    zl_warning_fn on_warning;    /* may be NULL */
    void *warning_user;
    bool creating; /* the array is made now: refuse what is only read for the sake of old ones */
} zl_env;

/* ------------------------------------------------------------------------------------------------ data types */

/* Raw bytes of an element become a valid element by these rules, applied in place to `count` scalars of `width` bytes from
 * `offset`: swapped where the stored byte order is not the machine's, then put right. Rules also clean what is written. */
typedef enum zl_unit_rule {
    ZL_UNIT_PLAIN = 0,       /* every bit pattern is an element */
    ZL_UNIT_BOOL = 1,        /* other than 0 counts as 1 */
    ZL_UNIT_ZERO_EXTEND = 2, /* only the low `bits` count, the others become 0 */
    ZL_UNIT_SIGN_EXTEND = 3  /* only the low `bits` count, the others become copies of the highest of them */
} zl_unit_rule;
typedef struct zl_unit {
    uint32_t offset;
    uint32_t count;
    uint8_t width; /* 1, 2, 4, 8 */
    uint8_t rule;  /* zl_unit_rule */
    uint8_t bits;
} zl_unit;

typedef struct zl_dtype_class zl_dtype_class;

struct zl_dtype {
    const zl_dtype_class *cls;
    zl_dtype_id id; /* ZL_DTYPE_NONE for types with parameters */
    const char *name;
    uint32_t size; /* bytes of an element in memory; 16 where `variable` */
    uint32_t align;
    bool variable; /* elements are zl_slot */
    uint32_t unit_count;
    const zl_unit *units; /* in order of offset, without overlap */
    const void *params;   /* the class's own */
};

struct zl_dtype_class {
    size_t size;
    const char *name;           /* registered name */
    const char *const *aliases; /* NULL-terminated; NULL = none */
    const char *spec;           /* URL of the page that is implemented */
    /* True when `name` belongs to the class; NULL = equals name or an alias. For families such as r8, r16, ... */
    bool (*match)(const char *name);
    /* `configuration` is NULL when the metadata has none. */
    zl_status (*parse)(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                       zl_error *err);
    /* Writes the data type as it stands in metadata. NULL = its name as a string. */
    void (*emit)(const zl_dtype *dtype, zl_json_writer *writer);
    /* Fill value from metadata to an element of `dtype->size` bytes, machine byte order. Memory that a zl_slot points to
     * comes from env->arena. METADATA when it is none. `value` NULL asks for the default: zero, false, empty. `out`, and
     * `element` below, may be at any address: fields of structs are packed. */
    zl_status (*parse_fill)(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out, zl_error *err);
    /* An element as its JSON fill value encoding: parse_fill gives back the same bits. */
    void (*emit_fill)(const zl_dtype *dtype, const void *element, zl_json_writer *writer);
};

/* ------------------------------------------------------------------------------------------------ codecs */

/* What a codec sees of the array: element type and fill value (`dtype->size` bytes, aligned). */
typedef struct zl_level {
    const zl_dtype *dtype;
    const void *fill;
} zl_level;

typedef struct zl_shape {
    int32_t rank;
    int64_t dim[ZL_MAX_RANK];
} zl_shape;

/* Wanted elements in this level's coordinates and where each lives in memory: element k of an axis is at coordinate
 * start + k * step, and `stride` bytes apart from element k-1. `edge` is the array's end in this level's coordinates: what
 * lies at or beyond it is padding. */
typedef struct zl_box {
    int32_t rank;
    char *data;
    int64_t start[ZL_MAX_RANK];
    int64_t shape[ZL_MAX_RANK];
    int64_t stride[ZL_MAX_RANK];
    int64_t step[ZL_MAX_RANK];
    int64_t edge[ZL_MAX_RANK];
} zl_box;

/* How the codec "conditional" decides; see zl_write_options. */
typedef struct zl_conditional {
    zl_conditional_policy policy;
    zl_conditional_fn ask;
    void *user;
    const char *key; /* of the object that is written */
} zl_conditional;

/* What encode and decode may use besides their arguments. */
typedef struct zl_worker zl_worker;
typedef struct zl_call {
    size_t size;
    const zl_allocator *allocator;
    zl_worker *worker;
    bool verify;       /* check checksums */
    zl_result *result; /* owner of bytes that decoded zl_slot values point to; NULL: the worker's, until the job ends */
    zl_error *err;
    const zl_conditional *conditional; /* when encoding; NULL: ZL_CONDITIONAL_NEVER */
    const zl_box *region;              /* all that the call reads or writes, in coordinates of the array; NULL: not known */
} zl_call;
/* Scratch memory until the callback returns; NULL: out of memory. */
ZL_API void *zl_call_scratch(const zl_call *call, size_t size, size_t align);
/* An object that the working thread keeps for later calls, such as a decompression context: made by `create` on first
 * need, ended by `destroy` with the thread. `tag` is any static address that names it. NULL: create gave NULL. */
ZL_API void *zl_call_object(const zl_call *call, const void *tag, void *(*create)(void), void (*destroy)(void *object));
/* Memory that lives with call->result: for bytes of elements of variable length. */
ZL_API void *zl_call_result_alloc(const zl_call *call, size_t size);

/* Maps `n` elements, contiguous and aligned on both sides, that do not overlap. Returns n, or the index of the first
 * element it refuses (out of range, no counterpart, ...). */
typedef size_t (*zl_row_fn)(const void *bound, void *dst, const void *src, size_t n);

/* Array -> array. Either layout (remap), or rows (decode_row and encode_row), or whole (decode and encode). */
typedef struct zl_aa_ops {
    /* Layout only: a box of the decoded side in coordinates and strides of the encoded side. False, with `cover` alone: not
     * possible for this box. */
    bool (*remap)(const void *bound, const zl_box *in, zl_box *out);
    zl_row_fn decode_row;
    zl_row_fn encode_row;
    /* Why a row function refused `element` (a `n`th-of-row pointer to its input): fills err. */
    zl_status (*refuse)(const void *bound, bool encoding, const void *element, zl_error *err);
    /* For a remap that may fail: start and shape of the smallest box of the encoded side that holds the elements of `in`.
     * Both sides have the same elements in C order. */
    void (*cover)(const void *bound, const zl_box *in, zl_box *out);
    /* Whole chunks, contiguous in C order on both sides. */
    zl_status (*decode)(const void *bound, const void *src, void *dst, const zl_call *call);
    zl_status (*encode)(const void *bound, const void *src, void *dst, const zl_call *call);
} zl_aa_ops;

typedef struct zl_chain zl_chain;

/* How a shard is made of parts: the pipeline does the rest. */
typedef struct zl_split {
    zl_shape part_shape;         /* divides the shard's shape */
    const zl_chain *part_chain;  /* codecs of one part */
    const zl_chain *index_chain; /* codecs of the index: uint64, shape = parts per axis + [2] */
    bool index_at_end;
} zl_split;

/* Array -> bytes. Exactly one of raw, split or decode/encode. */
typedef struct zl_ab_ops {
    /* The stored bytes are the elements in C order, up to dtype units; `swap`: in the other byte order than the machine's.
     */
    void (*raw)(const void *bound, bool *swap);
    void (*split)(const void *bound, zl_split *out);
    /* Decodes the elements of `dst` (steps are 1) from all stored bytes straight into its memory. */
    zl_status (*decode)(const void *bound, zl_span src, const zl_box *dst, const zl_call *call);
    /* Encodes a whole chunk; `src` covers it (start 0, steps 1), with any strides. */
    zl_status (*encode)(const void *bound, const zl_box *src, zl_sink *out, const zl_call *call);
    /* Largest encoded size; UINT64_MAX where only the elements tell (variable length). */
    uint64_t (*bound)(const void *bound);
    /* Beside decode, both or none: for codecs that can decode a box from a part of the stored bytes.
     * How many byte ranges the elements of `dst` (steps are 1) are in; the first `cap` of them go to `out`, in order of
     * offset and without overlap. 0: all bytes are needed. */
    size_t (*ranges)(const void *bound, const zl_box *dst, zl_range *out, size_t cap);
    /* Decodes the elements of `dst` from the bytes of these ranges: `parts` has a span for each, as long as it. `size` is
     * that of all stored bytes, to be checked. */
    zl_status (*decode_ranges)(const void *bound, uint64_t size, const zl_span *parts, const zl_box *dst,
                               const zl_call *call);
} zl_ab_ops;

/* Bytes -> bytes. Either a frame (extent, check, seal): bytes in front or behind that leave the rest as it is; or a stream.
 */
typedef struct zl_bb_ops {
    /* Bytes that the frame adds in front and behind. */
    void (*extent)(const void *bound, uint32_t *head, uint32_t *tail);
    /* Checks all of a frame; called only when call->verify. CORRUPT. */
    zl_status (*check)(const void *bound, zl_span frame, const zl_call *call);
    /* Head and tail (`extent` bytes each) around content that lies in `n` spans. */
    zl_status (*seal)(const void *bound, const zl_span *spans, size_t n, uint8_t *head, uint8_t *tail, const zl_call *call);

    /* Decodes all of `src`: exactly `cap` bytes into a fixed sink, otherwise up to `max`. CORRUPT when it is not so. */
    zl_status (*decode)(const void *bound, zl_span src, zl_sink *out, const zl_call *call);
    zl_status (*encode)(const void *bound, zl_span src, zl_sink *out, const zl_call *call);
    /* Largest encoded size of `size` bytes; UINT64_MAX when that does not fit. */
    uint64_t (*bound)(const void *bound, uint64_t size);

    /* Beside decode, both or none: for streams of which a part can be decoded alone.
     * Of the `size` bytes that `src` decodes to: the smallest part that can be had and holds `wanted`. */
    zl_range (*part)(const void *bound, zl_span src, uint64_t size, zl_range wanted, const zl_call *call);
    /* Decodes such a part to `into`, memory of part.length bytes. CORRUPT; damage elsewhere may go unnoticed. */
    zl_status (*decode_part)(const void *bound, zl_span src, uint64_t size, zl_range part, uint8_t *into,
                             const zl_call *call);
} zl_bb_ops;

typedef struct zl_codec_class {
    size_t size;
    const char *name;           /* registered name */
    const char *const *aliases; /* NULL-terminated; NULL = none */
    const char *spec;           /* URL of the page that is implemented */
    /* Configuration (NULL when absent) to an immutable `self`. METADATA with the JSON path. */
    zl_status (*parse)(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err);
    /* Writes the configuration object, for metadata that zarrlite makes itself. NULL = no configuration. */
    void (*emit)(const void *self, zl_json_writer *writer);
    /* Once, when an array is opened: which type and fill value the next codec sees; refuses what metadata alone shows to be
     * wrong. NULL = the level stays, `self` is the result. */
    zl_status (*resolve)(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err);
    /* Once for each distinct chunk shape. `out` is set to `in` before. NULL = `resolved` is the result. */
    zl_status (*bind)(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **bound, zl_error *err);
    const zl_aa_ops *aa; /* exactly one of the three is set: it is the codec's kind */
    const zl_ab_ops *ab;
    const zl_bb_ops *bb;
} zl_codec_class;

/* Parses a list of codecs (`list` is a JSON array); checks their order: array -> array, one array -> bytes, bytes -> bytes.
 * For codecs that hold chains. METADATA, UNSUPPORTED, LIMIT, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_chain_parse(const zl_json *list, const zl_env *env, const zl_chain **out, zl_error *err);

/* ------------------------------------------------------------------------------------------------ chunk grids and keys */

/* Chunk grids are products of one division per axis. */
typedef struct zl_grid_class {
    size_t size;
    const char *name;
    const char *const *aliases;
    const char *spec;
    zl_status (*parse)(const zl_json *configuration, const zl_shape *shape, const zl_env *env, const void **self,
                       zl_error *err);
    void (*emit)(const void *self, zl_json_writer *writer);
    /* Number of chunks along an axis of `extent` elements. */
    int64_t (*count)(const void *self, int32_t axis, int64_t extent);
    /* Index of the chunk that holds coordinate `at`. */
    int64_t (*locate)(const void *self, int32_t axis, int64_t at);
    /* First coordinate and full length of chunk `index`. */
    void (*span)(const void *self, int32_t axis, int64_t index, int64_t *start, int64_t *length);
    /* The one shape that all chunks have, or NULL. */
    const int64_t *(*uniform)(const void *self);
    /* Length of the k-th kind of chunks along an axis, repeated ones allowed; false behind the last. For grids without a
     * uniform shape. */
    bool (*edge)(const void *self, int32_t axis, size_t k, int64_t *length);
    /* For grids that end somewhere, both or none. Beyond their end `locate` and `span` go on with chunks like the last one;
     * `grow` writes a configuration, as it stands in metadata, so that it says so for an array of `rank` extents `shape`,
     * and otherwise as it is. `same`: do both have the same chunks, however far they reach? */
    void (*grow)(const zl_json *configuration, const int64_t *shape, int32_t rank, zl_json_writer *writer);
    bool (*same)(const void *a, const void *b);
} zl_grid_class;

typedef struct zl_key_class {
    size_t size;
    const char *name;
    const char *const *aliases;
    const char *spec;
    zl_status (*parse)(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err);
    void (*emit)(const void *self, zl_json_writer *writer);
    /* Key of a chunk below the array's path, NUL-terminated. Returns its length, or 0 when it needs more than `cap` bytes
     * (ZL_KEY_MAX is always enough). */
    size_t (*format)(const void *self, int32_t rank, const int64_t *coords, char *buffer, size_t cap);
    /* The reverse; false when the key is not the canonical key of any chunk. */
    bool (*read)(const void *self, int32_t rank, const char *key, int64_t *coords);
} zl_key_class;
#define ZL_KEY_MAX (2 + ZL_MAX_RANK * 21)

/* ------------------------------------------------------------------------------------------------ stores */

/* Says which version of an object was seen; opaque to everyone but the store. All zero: no object. */
typedef struct zl_generation {
    uint64_t word[2];
} zl_generation;

typedef struct zl_object_info {
    uint64_t size;
    zl_generation generation;
} zl_object_info;

#define ZL_TO_END UINT64_MAX

/* One range of an object. */
typedef struct zl_request {
    uint64_t offset; /* from the start, or with `suffix` from the end to there: offset 100 = the last 100 bytes */
    uint64_t length; /* ZL_TO_END = up to the object's end */
    bool suffix;     /* `length` is then at most `offset` */
    void *into;      /* memory for `cap` bytes; NULL: the store lends or allocates */
    size_t cap;      /* with `into` NULL: the most that may be lent or allocated, 0 = no bound */
    zl_bytes bytes;  /* out: the range; points to `into` where that was given */
} zl_request;

/* When to change an object. */
typedef enum zl_condition_kind { ZL_ALWAYS = 0, ZL_IF_GENERATION = 1 } zl_condition_kind;
typedef struct zl_condition {
    zl_condition_kind kind;
    zl_generation generation; /* all zero: only if there is no object */
} zl_condition;

typedef struct zl_store_call {
    size_t size;
    const zl_allocator *allocator;
    const zl_cancel *cancel; /* may be NULL */
    zl_error *err;
} zl_store_call;
/* Was the call cancelled? Stores ask between long steps. */
ZL_API bool zl_cancelled(const zl_cancel *cancel);

#define ZL_STORE_WRITE 1u        /* set, erase */
#define ZL_STORE_RANGE 2u        /* ranges cost about what they hold */
#define ZL_STORE_LEND 4u         /* get lends memory without copying */
#define ZL_STORE_REMOTE 8u       /* a request takes milliseconds */
#define ZL_STORE_CONDITIONAL 16u /* set honours conditions */
#define ZL_STORE_CONDITIONAL_ERASE 32u
#define ZL_STORE_SHARED 64u /* other processes may write too, and claims do not reach them */

/* Returns false to stop. `is_prefix`: the name stands for keys below it, not for an object. */
typedef bool (*zl_list_fn)(void *user, const char *name, bool is_prefix);

typedef struct zl_put zl_put;

/* Keys are checked before they arrive: relative, no empty, "." or ".." parts. A missing object is ZL_ERR_NOT_FOUND with no
 * work spent on a message: it is the common case. */
typedef struct zl_store_class {
    size_t size;
    const char *name; /* "file", "memory", ... */
    uint32_t caps;
    /* Reads ranges of one generation of an object. `condition` may be NULL; a mismatch is CONFLICT. A range outside the
     * object is CORRUPT; one longer than its `cap`, LIMIT. `info` (may be NULL) is set whenever the object exists, also on
     * failure. */
    zl_status (*get)(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                     zl_object_info *info, const zl_store_call *call);
    /* Replaces an object by the bytes of all spans, atomically. `condition` may be NULL. */
    zl_status (*set)(void *self, const char *key, const zl_span *spans, size_t count, const zl_condition *condition,
                     const zl_store_call *call);
    /* Removes an object; NOT_FOUND when there is none. */
    zl_status (*erase)(void *self, const char *key, const zl_condition *condition, const zl_store_call *call);
    /* Size and generation without reading. */
    zl_status (*info)(void *self, const char *key, zl_object_info *info, const zl_store_call *call);
    /* Names of one level below `prefix` ("" or without trailing slash): each once, any order; one that is an object and a
     * prefix as both. The callback may use the store. NOT_FOUND where nothing is. */
    zl_status (*list)(void *self, const char *prefix, zl_list_fn each, void *user, const zl_store_call *call);
    /* Removes all objects below `prefix`. NULL = by list and erase. */
    zl_status (*erase_prefix)(void *self, const char *prefix, const zl_store_call *call);
    /* Objects written in pieces, visible only by commit. NULL = not offered. */
    zl_status (*put_begin)(void *self, const char *key, zl_put **out, const zl_store_call *call);
    zl_status (*put_append)(zl_put *put, const zl_span *spans, size_t count, const zl_store_call *call);
    zl_status (*put_commit)(zl_put *put, const zl_condition *condition, const zl_store_call *call);
    void (*put_abort)(zl_put *put);
    /* Ends the store. */
    zl_status (*close)(void *self, zl_error *err);
} zl_store_class;

/* Makes a store of `self`, which it takes. `cls` and `context` are kept. Returns new (free with zl_store_close). */
ZL_API ZL_MUST_CHECK zl_status zl_store_new(zl_store **out, zl_context *context, const zl_store_class *cls, void *self,
                                            zl_error *err);

/* ------------------------------------------------------------------------------------------------ registration */

/* Adds a class to a context, before arrays are opened with it; keeps the class. It wins over a built-in one of the same
 * name. Not thread-safe. NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_context_add_codec(zl_context *context, const zl_codec_class *cls, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_context_add_dtype(zl_context *context, const zl_dtype_class *cls, zl_error *err);

#ifdef __cplusplus
}
#endif
#endif
