/* SPDX-License-Identifier: MIT */
/*
 * zarrlite: read and write Zarr v3 and v2 arrays.
 *
 * Words used for ownership in this header, always one of these:
 *   borrows   the pointer is used during the call only
 *   keeps     the object must outlive the handle that was made
 *   takes     the object now belongs to the library
 *   returns new (free with X)   the caller owns it and ends it with X
 *   lends     the library owns it; it is valid while its parent is
 *
 * Every function that can fail returns a zl_status and takes a caller-owned zl_error last, which may be NULL. After a
 * failure output parameters are unchanged unless a function says otherwise.
 *
 * Threads: a function is safe to call from several threads at once on different handles of one context. Where one handle
 * may be shared, its section says so. Option structs start with their own size; zero in a member means its default, a
 * NULL options pointer means all defaults.
 */
#ifndef ZARRLITE_ZARRLITE_H
#define ZARRLITE_ZARRLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#if defined(ZL_BUILDING_SHARED)
#define ZL_API __declspec(dllexport)
#elif defined(ZL_USING_SHARED)
#define ZL_API __declspec(dllimport)
#else
#define ZL_API
#endif
#define ZL_MUST_CHECK
#elif defined(__GNUC__)
#define ZL_API __attribute__((visibility("default")))
#define ZL_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ZL_API
#define ZL_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ version */

#define ZL_VERSION_MAJOR 0
#define ZL_VERSION_MINOR 1
#define ZL_VERSION_PATCH 0
#define ZL_VERSION_STRING "0.1.0"

/* Version of the library that runs, as "MAJOR.MINOR.PATCH". Lends a static string. Any thread. */
ZL_API const char *zl_version(void);

/* ------------------------------------------------------------------------------------------------ errors */

/* X(name, value, text): values never change between versions. */
#define ZL_STATUS_MAP(X)                             \
    X(OK, 0, "ok")                                   \
    X(ERR_INVALID_ARGUMENT, 1, "invalid argument")   \
    X(ERR_NOT_FOUND, 2, "not found")                 \
    X(ERR_EXISTS, 3, "already exists")               \
    X(ERR_CORRUPT, 4, "stored data is damaged")      \
    X(ERR_METADATA, 5, "invalid metadata")           \
    X(ERR_UNSUPPORTED, 6, "not supported")           \
    X(ERR_IO, 7, "input or output failed")           \
    X(ERR_NO_MEMORY, 8, "out of memory")             \
    X(ERR_LIMIT, 9, "a limit was exceeded")          \
    X(ERR_CANCELLED, 10, "cancelled")                \
    X(ERR_READ_ONLY, 11, "read only")                \
    X(ERR_CONFLICT, 12, "changed by another writer") \
    X(ERR_INTERNAL, 13, "internal error")

typedef enum zl_status {
#define ZL_STATUS_ENUM(name, value, text) ZL_##name = value,
    ZL_STATUS_MAP(ZL_STATUS_ENUM)
#undef ZL_STATUS_ENUM
} zl_status;

/* Caller-owned error: what happened, the operating system's number (errno, 0 if none), and a sentence that names the key,
 * the JSON path, the value and the limit. Start from zero bytes or zl_error_clear(). */
typedef struct zl_error {
    zl_status status;
    int32_t os_code;
    char message[504];
} zl_error;

/* Name of a status without prefix ("ERR_CORRUPT"), and a short English text for it. Lend static strings. Any thread. */
ZL_API const char *zl_status_name(zl_status status);
ZL_API const char *zl_status_text(zl_status status);

/* Sets an error to ZL_OK with an empty message. `err` may be NULL. */
ZL_API void zl_error_clear(zl_error *err);

/* ------------------------------------------------------------------------------------------------ context */

/* Memory hooks. `align` is a power of two; sizes are never 0. All return NULL when out of memory and are called from any
 * thread. `resize` may move; it gets the old size. Memory that codec libraries take for themselves is not covered. */
typedef struct zl_allocator {
    void *(*alloc)(void *user, size_t size, size_t align);
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t new_size, size_t align);
    void (*free)(void *user, void *ptr, size_t size);
    void *user;
} zl_allocator;

/* Called for things a specification says a reader SHOULD warn of. `message` is borrowed. Any thread, one at a time; it must
 * not call the library. */
typedef void (*zl_warning_fn)(void *user, const char *message);

/* Upper bounds against hostile metadata; 0 = the default in brackets. Exceeding one is ZL_ERR_LIMIT. */
typedef struct zl_limits {
    size_t size;
    int32_t rank;           /* dimensions of an array [32, which is also the most] */
    int32_t codecs;         /* codecs in one chain [64] */
    int32_t sharding_depth; /* shards in shards [4] */
    int32_t json_depth;     /* nesting of JSON values [512] */
    uint64_t json_document; /* bytes of one metadata document [256 MiB] */
    uint64_t element_size;  /* bytes of one fixed-size element [1 MiB] */
    uint64_t decoded_chunk; /* bytes of one decoded chunk or inner chunk [64 GiB] */
} zl_limits;

typedef struct zl_context_options {
    size_t size;
    int32_t threads;               /* threads that work on one call, the caller included [one per online CPU] */
    uint64_t memory_limit;         /* bytes of working memory that concurrent jobs may reserve [1 GiB] */
    const zl_allocator *allocator; /* copied; its `user` is kept [malloc] */
    zl_warning_fn on_warning;      /* [none] */
    void *warning_user;            /* kept */
    const zl_limits *limits;       /* copied */
} zl_context_options;

/* `{.size = sizeof}`: the same as what zl_context_options_init() writes. */
#define ZL_CONTEXT_OPTIONS_INIT \
    { sizeof(zl_context_options), 0, 0, NULL, NULL, NULL, NULL }
ZL_API void zl_context_options_init(zl_context_options *options);

/* A context owns the thread pool (made on first need), the memory budget and the caches. Share one between all stores and
 * arrays of a program. */
typedef struct zl_context zl_context;

/* Returns new (free with zl_context_free). `options` is borrowed. INVALID_ARGUMENT, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_context_new(zl_context **out, const zl_context_options *options, zl_error *err);

/* Ends a context after every store and array made with it is closed. Joins its threads. NULL is fine. */
ZL_API void zl_context_free(zl_context *context);

/* Memory that the library hands out for the caller to keep: `size` bytes at `data`. Text carries a NUL byte behind its
 * last byte that `size` does not count. */
typedef struct zl_buffer {
    char *data;
    size_t size;
    zl_context *context;
} zl_buffer;

/* Frees the buffer's memory and sets it to zero bytes. NULL and empty buffers are fine. */
ZL_API void zl_buffer_free(zl_buffer *buffer);

/* ------------------------------------------------------------------------------------------------ data types */

/* Data types without parameters. Values never change between versions. ZL_DTYPE_NONE stands for every other type. */
typedef enum zl_dtype_id {
    ZL_DTYPE_NONE = 0,
    ZL_DTYPE_BOOL = 1,
    ZL_DTYPE_INT8 = 2,
    ZL_DTYPE_INT16 = 3,
    ZL_DTYPE_INT32 = 4,
    ZL_DTYPE_INT64 = 5,
    ZL_DTYPE_UINT8 = 6,
    ZL_DTYPE_UINT16 = 7,
    ZL_DTYPE_UINT32 = 8,
    ZL_DTYPE_UINT64 = 9,
    ZL_DTYPE_FLOAT16 = 10,
    ZL_DTYPE_FLOAT32 = 11,
    ZL_DTYPE_FLOAT64 = 12,
    ZL_DTYPE_COMPLEX64 = 13,
    ZL_DTYPE_COMPLEX128 = 14,
    ZL_DTYPE_BFLOAT16 = 15,
    ZL_DTYPE_INT2 = 16,
    ZL_DTYPE_INT4 = 17,
    ZL_DTYPE_UINT2 = 18,
    ZL_DTYPE_UINT4 = 19,
    ZL_DTYPE_FLOAT4_E2M1FN = 20,
    ZL_DTYPE_FLOAT6_E2M3FN = 21,
    ZL_DTYPE_FLOAT6_E3M2FN = 22,
    ZL_DTYPE_FLOAT8_E3M4 = 23,
    ZL_DTYPE_FLOAT8_E4M3 = 24,
    ZL_DTYPE_FLOAT8_E4M3B11FNUZ = 25,
    ZL_DTYPE_FLOAT8_E4M3FNUZ = 26,
    ZL_DTYPE_FLOAT8_E5M2 = 27,
    ZL_DTYPE_FLOAT8_E5M2FNUZ = 28,
    ZL_DTYPE_FLOAT8_E8M0FNU = 29,
    ZL_DTYPE_STRING = 30,
    ZL_DTYPE_BYTES = 31,
    ZL_DTYPE_FLOAT8_E4M3FN = 32, /* not in the registry; TensorStore writes it */
    ZL_DTYPE_COUNT
} zl_dtype_id;

/* An immutable data type. In memory elements have the machine's byte order. One byte holds an element of a sub-byte type;
 * elements of variable length are 16-byte zl_slot values. */
typedef struct zl_dtype zl_dtype;

/* An element of variable length: `size` bytes at `data`, no NUL byte. */
typedef struct zl_slot {
    const void *data;
#if UINTPTR_MAX == UINT32_MAX
    uint32_t reserved; /* 16 bytes everywhere */
#endif
    uint64_t size;
} zl_slot;

/* The type with that id, or NULL for ids that name none. Lends a static object. Any thread. */
ZL_API const zl_dtype *zl_dtype_builtin(zl_dtype_id id);
/* The type's id; ZL_DTYPE_NONE for types with parameters. */
ZL_API zl_dtype_id zl_dtype_get_id(const zl_dtype *dtype);
/* The type's registered name, such as "float32" or "numpy.timedelta64". Lends. */
ZL_API const char *zl_dtype_name(const zl_dtype *dtype);
/* Bytes of one element in memory: 16 (a zl_slot) where elements have variable length. */
ZL_API size_t zl_dtype_size(const zl_dtype *dtype);
/* True where elements have variable length. */
ZL_API bool zl_dtype_is_variable(const zl_dtype *dtype);

/* Time types (numpy.datetime64, numpy.timedelta64) are int64_t that count `scale` units; INT64_MIN is "not a time". Their
 * unit, one of "Y" "M" "W" "D" "h" "m" "s" "ms" "us" "ns" "ps" "fs" "as" "generic", or NULL for other types; lends. Their
 * scale, 1..2147483647, or 0 for other types. */
ZL_API const char *zl_dtype_time_unit(const zl_dtype *dtype);
ZL_API int32_t zl_dtype_time_scale(const zl_dtype *dtype);
#define ZL_TIME_NAT INT64_MIN
ZL_API bool zl_time_is_nat(int64_t value);
/* The same time counted in `to_scale` times `to_unit`, exactly; "not a time" stays what it is. INVALID_ARGUMENT: it is no
 * whole number of those; units without a fixed ratio (Y and M are of one kind, W to as of another, generic of a third);
 * unknown units and scales. LIMIT: more than int64_t holds. `out` is written on success only. */
ZL_API ZL_MUST_CHECK zl_status zl_time_convert(int64_t value, const char *from_unit, int32_t from_scale,
                                               const char *to_unit, int32_t to_scale, int64_t *out, zl_error *err);
/* A value of a time type for people: "15 us" for numpy.timedelta64, "2024-03-01T12:00:00" for numpy.datetime64, with as
 * much of that as its unit tells ("2024-03", "2024-03-01T12:00:00.000250"), "NaT". Dates are of the proleptic Gregorian
 * calendar, years before 0 have a minus sign, moments too far from 1970 for an int64_t are "N unit since 1970"; generic
 * time is a plain number. Cut to `cap` with the NUL byte; returns the size of all of it without, 0 for other types. */
#define ZL_TIME_TEXT 64 /* bytes that hold any of them */
ZL_API size_t zl_time_format(const zl_dtype *dtype, int64_t value, char *buffer, size_t cap);

/* One field of a struct type: its bytes are at `offset` of an element, packed, so not aligned. */
typedef struct zl_field {
    const char *name;
    const zl_dtype *dtype;
    size_t offset;
} zl_field;
/* Number of fields; 0 for types other than struct. */
ZL_API size_t zl_dtype_field_count(const zl_dtype *dtype);
/* Field `index` in the order of the metadata, or NULL when there is none. Lends. */
ZL_API const zl_field *zl_dtype_field(const zl_dtype *dtype, size_t index);
/* The field of that name, or for fields that are structures themselves, of a path with dots ("position.x"): its offset is
 * that in the whole element. False, and nothing is written, when there is none. Borrows `path`; `out` lends. */
ZL_API bool zl_dtype_find_field(const zl_dtype *dtype, const char *path, zl_field *out);

/* ------------------------------------------------------------------------------------------------ stores */

/* A store maps keys (slash-separated names) to objects (bytes). Handles may be used by any number of threads at once;
 * arrays and groups retain the store they were opened from. */
typedef struct zl_store zl_store;

typedef struct zl_file_store_options {
    size_t size;
    bool create;          /* make the folder, parents too, when it is not there */
    bool read_only;       /* refuse every change with READ_ONLY */
    bool follow_symlinks; /* keys may lead through symbolic links below the root [false: such a key is IO] */
    bool sync;            /* what a call changes is on the disk before it returns (fsync of files and folders), which makes
                             writes many times slower [false: a power failure may undo the last changes] */
} zl_file_store_options;
#define ZL_FILE_STORE_OPTIONS_INIT \
    { sizeof(zl_file_store_options), false, false, false, false }
ZL_API void zl_file_store_options_init(zl_file_store_options *options);

/* Opens the folder `path` as a store. Keys are looked up relative to the opened folder, only regular files are objects,
 * and a whole object is replaced atomically (temporary file, checked close, rename). Processes that write parts of one
 * chunk at a time do not undo each other's changes, where the file system has locks (flock): docs/durability.md. Keeps
 * `context`; borrows the rest. Returns new (free with zl_store_close). NOT_FOUND, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_store_open_file(zl_store **out, zl_context *context, const char *path,
                                                  const zl_file_store_options *options, zl_error *err);

/* Makes an empty store in memory. Keeps `context`. Returns new (free with zl_store_close). NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_store_open_memory(zl_store **out, zl_context *context, zl_error *err);

typedef struct zl_zip_store_options {
    size_t size;
    bool create; /* make a new archive, to be written once [false: open one, to be read] */
} zl_zip_store_options;
#define ZL_ZIP_STORE_OPTIONS_INIT \
    { sizeof(zl_zip_store_options), false }
ZL_API void zl_zip_store_options_init(zl_zip_store_options *options);

/* Opens the ZIP archive `path` as a store. Entries that are stored as they are can be read in parts; deflated ones are
 * inflated whole. The last of several entries with one name counts, entries that lead outside the archive are left out, and
 * the CRC-32 is checked when a whole object is read. A new archive is written to `path`.partial, and has its name once
 * zl_store_close has returned OK: look at what that returns. Keeps `context`; borrows the rest.
 * Returns new (free with zl_store_close). NOT_FOUND, EXISTS (also where another writer's .partial is), CORRUPT, UNSUPPORTED
 * (an archive in several files; any in builds without libzip), IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_store_open_zip(zl_store **out, zl_context *context, const char *path,
                                                 const zl_zip_store_options *options, zl_error *err);

/* Returns false to stop. `is_prefix`: `key` stands for keys below it, not for an object. */
typedef bool (*zl_key_fn)(void *user, const char *key, bool is_prefix);
/* Calls `each` for the objects and the prefixes one level below `prefix` ("" or NULL: all of the store), whether they
 * belong to a node or not, in no particular order. What is both comes twice; where nothing is, none comes. The callback may
 * use the store; it borrows the key, which is from the store's root. INVALID_ARGUMENT, UNSUPPORTED (a store without
 * listing), IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_store_list(zl_store *store, const char *prefix, zl_key_fn each, void *user,
                                             zl_error *err);

/* Gives back one reference; the last one ends the store. Reports what a store could only find out at its end (an archive's
 * directory, for instance); the handle is gone in any case. NULL is fine. */
ZL_API zl_status zl_store_close(zl_store *store, zl_error *err);

/* ------------------------------------------------------------------------------------------------ groups */

/* A node of the hierarchy is a group or an array. Paths are slash-separated names from the store's root, without a leading
 * or trailing slash; "" (or NULL, or "/") is the root. Names "." and ".." and names that start with "__" are refused (core
 * 3.1, "Node names"). */
typedef enum zl_node_kind {
    ZL_NODE_NONE = 0,
    ZL_NODE_GROUP = 1,
    ZL_NODE_IMPLICIT_GROUP = 2, /* a prefix with nodes below it and no metadata of its own */
    ZL_NODE_ARRAY = 3
} zl_node_kind;

typedef struct zl_group zl_group;
typedef struct zl_array zl_array;
typedef struct zl_attributes zl_attributes;

/* What is at `path`. A path with nothing is ZL_NODE_NONE, not an error. IO, INVALID_ARGUMENT, METADATA. */
ZL_API ZL_MUST_CHECK zl_status zl_node_probe(zl_store *store, const char *path, zl_node_kind *out, zl_error *err);

/* Has the node at `path` metadata of Zarr v2, maybe beside that of v3, which then counts alone? IO, INVALID_ARGUMENT. */
ZL_API ZL_MUST_CHECK zl_status zl_node_has_v2(zl_store *store, const char *path, bool *out, zl_error *err);

typedef struct zl_node_info {
    const char *path;    /* from the store's root; borrowed by the callback */
    zl_node_kind kind;   /* ZL_NODE_NONE: metadata is there that cannot be understood */
    int32_t zarr_format; /* 2 or 3; 0 for an implicit group */
} zl_node_info;

/* Returns false to stop the listing. */
typedef bool (*zl_node_fn)(void *user, const zl_node_info *info);

/* Calls `each` for the members of the group at `path`, in byte order of their paths: direct members, or with `recursive`
 * all below, parents first. Names that cannot be nodes are skipped. The callback may open nodes. Where the group has
 * consolidated metadata, nodes are those it tells of: two requests for all. But where a listing shows other direct members,
 * the warning callback is told so, and nodes are looked for one by one. NOT_FOUND (no group), LIMIT (links that lead in a
 * circle), IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_node_list(zl_store *store, const char *path, bool recursive, zl_node_fn each, void *user,
                                            zl_error *err);

/* Removes the node at `path` with everything below it. NOT_FOUND, READ_ONLY, IO. */
ZL_API ZL_MUST_CHECK zl_status zl_node_delete(zl_store *store, const char *path, zl_error *err);

typedef enum zl_create_mode {
    ZL_CREATE_NEW = 0,     /* EXISTS when a node is there */
    ZL_CREATE_REPLACE = 1, /* delete what is there first */
    ZL_CREATE_OPEN = 2     /* groups only: open a group that is there */
} zl_create_mode;

typedef struct zl_group_options {
    size_t size;
    zl_create_mode mode;
    int32_t zarr_format;         /* [3] */
    const char *attributes_json; /* text of a JSON object; borrowed [{}] */
} zl_group_options;
#define ZL_GROUP_OPTIONS_INIT \
    { sizeof(zl_group_options), ZL_CREATE_NEW, 0, NULL }
ZL_API void zl_group_options_init(zl_group_options *options);

/* Creates a group, and groups above it that are missing or have no metadata. Returns new (free with zl_group_close).
 * EXISTS, INVALID_ARGUMENT, READ_ONLY, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_group_create(zl_group **out, zl_store *store, const char *path,
                                               const zl_group_options *options, zl_error *err);
/* Opens a group. An implicit group opens with no attributes. Returns new (free with zl_group_close).
 * NOT_FOUND, METADATA, LIMIT, IO. */
ZL_API ZL_MUST_CHECK zl_status zl_group_open(zl_group **out, zl_store *store, const char *path, zl_error *err);
ZL_API void zl_group_close(zl_group *group);
/* Path from the store's root. Lends. */
ZL_API const char *zl_group_path(const zl_group *group);
/* The group's attributes. Lends. */
ZL_API zl_attributes *zl_group_attributes(zl_group *group);

/* ------------------------------------------------------------------------------------------------ consolidated metadata */

/* A group may hold copies of the metadata of all nodes below it, for readers that would have to ask for each: .zmetadata in
 * Zarr v2, a member of the group's zarr.json in v3. zarrlite opens nodes by their own documents, never by copies, and only
 * zl_node_list uses them; its own changes of metadata change the copies above, too. */

/* Makes the copies in the group at `path`, or makes them anew, from the nodes as they are. Implicit groups get metadata:
 * readers that know none would find no node below. NOT_FOUND, READ_ONLY, METADATA (of
 * a node that cannot be understood), CONFLICT (another writer changed the group meanwhile), IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_consolidate(zl_store *store, const char *path, zl_error *err);

typedef enum zl_stale_kind {
    ZL_STALE_CHANGED = 1, /* the copy and what it is a copy of differ */
    ZL_STALE_GONE = 2,    /* there is a copy of something that is no longer there */
    ZL_STALE_MISSING = 3  /* something below the group has no copy */
} zl_stale_kind;

typedef struct zl_stale_info {
    const char *key; /* of the copy, from the group: the path of a node, in v2 with the name of a document; borrowed */
    zl_stale_kind kind;
} zl_stale_info;

/* Returns false to stop the check. */
typedef bool (*zl_stale_fn)(void *user, const zl_stale_info *info);

/* Calls `each` for every copy in the group at `path` that is not as it should be, in byte order of their keys. `found` says
 * whether the group has copies at all. NOT_FOUND, METADATA, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_consolidated_check(zl_store *store, const char *path, zl_stale_fn each, void *user,
                                                     bool *found, zl_error *err);

/* ------------------------------------------------------------------------------------------------ migration */

typedef struct zl_migrate_options {
    size_t size;
    bool dry_run;   /* report, change nothing */
    bool remove_v2; /* remove the documents of v2 in the end */
} zl_migrate_options;
#define ZL_MIGRATE_OPTIONS_INIT \
    { sizeof(zl_migrate_options), false, false }
ZL_API void zl_migrate_options_init(zl_migrate_options *options);

typedef struct zl_migrate_info {
    const char *path; /* of a node of Zarr v2; borrowed */
    zl_node_kind kind;
    const char *problem; /* why its chunks cannot be those of a v3 array, or NULL; borrowed */
} zl_migrate_info;

/* Returns false to stop before anything was changed. */
typedef bool (*zl_migrate_fn)(void *user, const zl_migrate_info *info);

/* Gives the node at `path` and all nodes below it metadata of Zarr v3 for the chunks that they have, which are not touched.
 * `each` (may be NULL) is called for every node of v2, from the top; where one has a problem, the result is UNSUPPORTED and
 * nothing was changed: such arrays must be copied. Each node changes atomically, and a run that was interrupted can be run
 * again. NOT_FOUND, UNSUPPORTED, CANCELLED, READ_ONLY, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_migrate(zl_store *store, const char *path, const zl_migrate_options *options,
                                          zl_migrate_fn each, void *user, zl_error *err);

/* ------------------------------------------------------------------------------------------------ attributes */

/* Attributes of a group or an array: one JSON object. A change is written at once and atomically, and leaves every other
 * member of the metadata document as it was. One handle must not be changed by two threads at once. */

/* Number of attributes. */
ZL_API size_t zl_attributes_count(const zl_attributes *attributes);
/* Name of attribute `index` in the order of the document, NUL-terminated. Lends until the next change. NULL when out of
 * range. */
ZL_API const char *zl_attributes_name(const zl_attributes *attributes, size_t index);
/* JSON text of one attribute, or of the whole object when `name` is NULL. Returns new (free with zl_buffer_free).
 * NOT_FOUND, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_attributes_get_json(const zl_attributes *attributes, const char *name, zl_buffer *out,
                                                      zl_error *err);
/* Sets one attribute to a JSON value, or all of them when `name` is NULL (`json` is then an object). Borrows.
 * INVALID_ARGUMENT (with the place in the text), NOT_FOUND and METADATA (somebody else removed or damaged the document),
 * READ_ONLY, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_attributes_set_json(zl_attributes *attributes, const char *name, const char *json,
                                                      zl_error *err);
/* One attribute as a value of C. NOT_FOUND, METADATA (another type, or a number that does not fit: integers have neither
 * fraction nor exponent). As in fill values, the strings "NaN", "Infinity" and "-Infinity" stand for doubles. */
ZL_API ZL_MUST_CHECK zl_status zl_attributes_get_bool(const zl_attributes *attributes, const char *name, bool *out,
                                                      zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_attributes_get_i64(const zl_attributes *attributes, const char *name, int64_t *out,
                                                     zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_attributes_get_double(const zl_attributes *attributes, const char *name, double *out,
                                                        zl_error *err);
/* The text of a string, which may contain NUL. Returns new (free with zl_buffer_free). */
ZL_API ZL_MUST_CHECK zl_status zl_attributes_get_text(const zl_attributes *attributes, const char *name, zl_buffer *out,
                                                      zl_error *err);
/* A list of numbers, or a single one: the first `cap` of them to `out`, and how many there are to `*count`. */
ZL_API ZL_MUST_CHECK zl_status zl_attributes_get_i64s(const zl_attributes *attributes, const char *name, int64_t *out,
                                                      size_t cap, size_t *count, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_attributes_get_doubles(const zl_attributes *attributes, const char *name, double *out,
                                                         size_t cap, size_t *count, zl_error *err);
/* The reverse; the statuses of zl_attributes_set_json. Text is NUL-terminated UTF-8. Borrow. */
ZL_API ZL_MUST_CHECK zl_status zl_attributes_set_bool(zl_attributes *attributes, const char *name, bool value,
                                                      zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_attributes_set_i64(zl_attributes *attributes, const char *name, int64_t value,
                                                     zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_attributes_set_double(zl_attributes *attributes, const char *name, double value,
                                                        zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_attributes_set_text(zl_attributes *attributes, const char *name, const char *value,
                                                      zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_attributes_set_i64s(zl_attributes *attributes, const char *name, const int64_t *values,
                                                      size_t count, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_attributes_set_doubles(zl_attributes *attributes, const char *name, const double *values,
                                                         size_t count, zl_error *err);
/* Removes one attribute. NOT_FOUND, READ_ONLY, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_attributes_delete(zl_attributes *attributes, const char *name, zl_error *err);

/* ------------------------------------------------------------------------------------------------ arrays */

/* What a new array is. Pointers are borrowed during zl_array_create. */
typedef struct zl_array_options {
    size_t size;
    zl_create_mode mode;
    int32_t zarr_format;         /* [3] */
    int32_t rank;                /* 0 is an array of one element */
    const int64_t *shape;        /* `rank` extents >= 0 */
    const int64_t *chunk_shape;  /* `rank` extents > 0; with shards: of the inner chunks [zl_default_chunk_shape] */
    const int64_t *shard_shape;  /* `rank` multiples of the chunk shape [NULL: no shards] */
    zl_dtype_id dtype;           /* the data type, or ZL_DTYPE_NONE and `dtype_json` */
    const char *dtype_json;      /* data type as it stands in metadata: a JSON string or object */
    const char *fill_value_json; /* fill value as it stands in metadata [zero, false, empty] */
    const char *codecs_json;     /* JSON array of codecs, inner codecs with shards; an array -> bytes codec is put in where
                                  * none is named [the data type's, then zstd where built] */
    const char *const *dimension_names;  /* `rank` names, each may be NULL [none] */
    const char *attributes_json;         /* text of a JSON object [{}] */
    const char *chunk_key_encoding_json; /* [default with "/"] */
    const char *chunk_grid_json; /* v3: chunk grid as it stands in metadata: of the chunks; with `chunk_shape`, which
                                  * are the inner chunks then, of the shards [regular] */
} zl_array_options;
#define ZL_ARRAY_OPTIONS_INIT                                                                                         \
    {                                                                                                                 \
        sizeof(zl_array_options), ZL_CREATE_NEW, 0, 0, NULL, NULL, NULL, ZL_DTYPE_NONE, NULL, NULL, NULL, NULL, NULL, \
            NULL, NULL                                                                                                \
    }
ZL_API void zl_array_options_init(zl_array_options *options);

/* Writes to `chunk_shape` (rank extents) a shape of about `target_size` bytes [0: 1 MiB]: the last dimensions whole, the
 * first ones cut, extents of 0 counted as 1. Deterministic; docs/chunks.md has the rule. */
ZL_API void zl_default_chunk_shape(int32_t rank, const int64_t *shape, size_t element_size, uint64_t target_size,
                                   int64_t *chunk_shape);

/* Creates an array, and groups above it that are missing. Returns new (free with zl_array_close).
 * EXISTS, INVALID_ARGUMENT, METADATA, UNSUPPORTED, LIMIT, READ_ONLY, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_create(zl_array **out, zl_store *store, const char *path,
                                               const zl_array_options *options, zl_error *err);
/* Creates an array from a complete metadata document (the text of a zarr.json, `size` bytes), written as it is given. */
ZL_API ZL_MUST_CHECK zl_status zl_array_create_from_metadata(zl_array **out, zl_store *store, const char *path,
                                                             zl_create_mode mode, const char *json, size_t size,
                                                             zl_error *err);
/* Opens an array. Returns new (free with zl_array_close). One handle may be read and written by any number of threads.
 * NOT_FOUND, METADATA (invalid), UNSUPPORTED (valid, but unknown here or left out of this build), LIMIT, IO. */
ZL_API ZL_MUST_CHECK zl_status zl_array_open(zl_array **out, zl_store *store, const char *path, zl_error *err);
ZL_API void zl_array_close(zl_array *array);

/* Path from the store's root; lends. */
ZL_API const char *zl_array_path(const zl_array *array);
ZL_API int32_t zl_array_zarr_format(const zl_array *array);
ZL_API int32_t zl_array_rank(const zl_array *array);
/* `rank` extents, as this handle knows them; lends. They change when this handle is resized, appended to or refreshed,
 * and never otherwise: while another thread may do one of these, use zl_array_get_shape. */
ZL_API const int64_t *zl_array_shape(const zl_array *array);
/* Copies the `rank` extents to `shape`. Any thread. */
ZL_API void zl_array_get_shape(const zl_array *array, int64_t *shape);
/* `rank` extents of the grid's chunks (of the shards, where there are any); lends. NULL where the grid is not regular. */
ZL_API const int64_t *zl_array_chunk_shape(const zl_array *array);
/* `rank` extents of the inner chunks of the outermost shards; lends. NULL where chunks are not shards. */
ZL_API const int64_t *zl_array_inner_chunk_shape(const zl_array *array);
/* The data type; lends. */
ZL_API const zl_dtype *zl_array_dtype(const zl_array *array);
/* The fill value: zl_dtype_size() bytes; lends. */
ZL_API const void *zl_array_fill_value(const zl_array *array);
/* Name of dimension `axis`, or NULL when it has none; lends. */
ZL_API const char *zl_array_dimension_name(const zl_array *array, int32_t axis);
/* The array's attributes; lends. */
ZL_API zl_attributes *zl_array_attributes(zl_array *array);
/* The metadata document as it is stored. Returns new (free with zl_buffer_free). NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_metadata_json(const zl_array *array, zl_buffer *out, zl_error *err);
/* Number of elements, and bytes of all elements in memory; both at most 2^63-1 (checked when the array is opened and when
 * it grows). */
ZL_API int64_t zl_array_element_count(const zl_array *array);
ZL_API int64_t zl_array_decoded_size(const zl_array *array);

/* What is stored: number of chunk objects present and their bytes. Walks a listing. IO, NO_MEMORY. */
typedef struct zl_stored_info {
    uint64_t chunk_count; /* chunks of the grid that are stored */
    uint64_t grid_count;  /* chunks of the grid in all */
    uint64_t size;        /* bytes of the stored chunks */
} zl_stored_info;
ZL_API ZL_MUST_CHECK zl_status zl_array_stored_info(const zl_array *array, zl_stored_info *out, zl_error *err);

/* Chunks of the grid along each axis (`rank` numbers to `shape`). Any thread. */
ZL_API void zl_array_grid_shape(const zl_array *array, int64_t *shape);

/* The elements of the chunk of the grid at `coords`: the first one, and how many there are along each axis up to the
 * array's end (`rank` numbers each). Any thread. INVALID_ARGUMENT outside of the grid. */
ZL_API ZL_MUST_CHECK zl_status zl_array_chunk_region(const zl_array *array, const int64_t *coords, int64_t *start,
                                                     int64_t *shape, zl_error *err);
/* The longest chunks that the grid may have along each axis (`rank` numbers to `shape`). Any thread. */
ZL_API void zl_array_largest_chunk_shape(const zl_array *array, int64_t *shape);

/* A chunk of the grid that is stored; borrowed by the callback. */
typedef struct zl_stored_chunk {
    const int64_t *coords; /* in the grid: `rank` of them */
    const char *key;       /* from the store's root */
    uint64_t size;         /* encoded bytes */
} zl_stored_chunk;
/* Returns false to stop. */
typedef bool (*zl_chunk_fn)(void *user, const zl_stored_chunk *chunk);
/* Calls `each` for the stored chunks, in no particular order, as a listing finds them. The callback may use the array. Any
 * thread. IO, UNSUPPORTED (a store without listing), NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_list_chunks(const zl_array *array, zl_chunk_fn each, void *user, zl_error *err);

/* The codecs, in the order of encoding: how many, and the registered name of codec `index`, or NULL behind the last. Those
 * inside shards are not counted. Lends. */
ZL_API size_t zl_array_codec_count(const zl_array *array);
ZL_API const char *zl_array_codec_name(const zl_array *array, size_t index);
/* The codecs as a JSON array as it stands in v3 metadata, also for arrays of v2. Returns new (free with zl_buffer_free).
 * NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_codecs_json(const zl_array *array, zl_buffer *out, zl_error *err);

/* One element (zl_dtype_size() bytes at `element`, aligned or not) as its JSON fill value encoding, which is also what
 * humans read: 1.5, "NaN", [0.0, 1.0], true. Returns new (free with zl_buffer_free). */
ZL_API ZL_MUST_CHECK zl_status zl_array_element_json(const zl_array *array, const void *element, zl_buffer *out,
                                                     zl_error *err);
/* The same for an element of any type, such as that of a field. */
ZL_API ZL_MUST_CHECK zl_status zl_element_json(zl_context *context, const zl_dtype *dtype, const void *element,
                                               zl_buffer *out, zl_error *err);

/* ------------------------------------------------------------------------------------------------ read and write */

/* A box of elements: `rank` starts and counts. `step` NULL is 1 everywhere, otherwise element k of an axis is
 * start + k * step, step >= 1. A NULL region is the whole array. */
typedef struct zl_region {
    int32_t rank;
    const int64_t *start;
    const int64_t *shape;
    const int64_t *step;
} zl_region;

/* The caller's memory for a region: element (0,..,0) of the region is at `data`, and one step along an axis is `strides`
 * bytes: any sign, 0 for sources, `rank` of them; NULL = C order without gaps. `dtype` NULL = the array's own type;
 * another type converts each element by the rules of a cast (nearest-even, out of range is an error). */
typedef struct zl_view {
    void *data;
    const int64_t *strides;
    const zl_dtype *dtype;
} zl_view;
typedef struct zl_const_view {
    const void *data;
    const int64_t *strides;
    const zl_dtype *dtype;
} zl_const_view;

/* A flag that stops running calls from another thread. */
typedef struct zl_cancel zl_cancel;
/* Returns new (free with zl_cancel_free). */
ZL_API ZL_MUST_CHECK zl_status zl_cancel_new(zl_cancel **out, zl_context *context, zl_error *err);
ZL_API void zl_cancel_free(zl_cancel *cancel);
/* From any thread, a signal handler too: calls that were given `cancel` end with CANCELLED soon. */
ZL_API void zl_cancel_now(zl_cancel *cancel);
/* Ready for another use. */
ZL_API void zl_cancel_reset(zl_cancel *cancel);

typedef struct zl_progress {
    uint64_t elements_done;
    uint64_t elements_total;
    uint64_t stored_bytes; /* bytes read from or written to the store so far */
} zl_progress;
/* Called now and then by one of the working threads, one at a time. Returning false cancels the call. It must not call
 * the library on the same context. */
typedef bool (*zl_progress_fn)(void *user, const zl_progress *progress);

/* Owner of the bytes that elements of variable length point to after a read; free once, when the slots are done with. */
typedef struct zl_result zl_result;
ZL_API ZL_MUST_CHECK zl_status zl_result_new(zl_result **out, zl_context *context, zl_error *err);
ZL_API void zl_result_free(zl_result *result);

typedef struct zl_read_options {
    size_t size;
    int32_t threads;     /* [the context's] 1 = the caller alone */
    bool skip_checksums; /* do not check crc32c & co., so that parts of checksummed chunks are read alone */
    zl_cancel *cancel;
    zl_progress_fn on_progress;
    void *progress_user;
    zl_result *result; /* required for types of variable length; their bytes live in it */
    const char *field; /* of a structure, as zl_dtype_find_field has it: the view's elements are those of this field alone;
                          borrows [whole elements] */
} zl_read_options;
#define ZL_READ_OPTIONS_INIT \
    { sizeof(zl_read_options), 0, false, NULL, NULL, NULL, NULL, NULL }
ZL_API void zl_read_options_init(zl_read_options *options);

/* Reads a region into the caller's memory. Missing chunks give the fill value. Elements of a failed read are unspecified,
 * and nothing touches `dst` after the return. Views of the caller must not overlap themselves.
 * INVALID_ARGUMENT (region outside the array), CORRUPT, IO, LIMIT, CANCELLED, NO_MEMORY; the message names the chunk. */
ZL_API ZL_MUST_CHECK zl_status zl_array_read(const zl_array *array, const zl_region *region, zl_view dst,
                                             const zl_read_options *options, zl_error *err);

/* The codec "conditional" holds a list of codecs, each of which is applied to a chunk or not. That is decided when the
 * chunk is written. */
typedef enum zl_conditional_policy {
    ZL_CONDITIONAL_NEVER = 0,    /* none is applied */
    ZL_CONDITIONAL_ALWAYS = 1,   /* all are */
    ZL_CONDITIONAL_SMALLEST = 2, /* those that make the chunk smallest, of several tries; where that is a tie, fewer */
    ZL_CONDITIONAL_ASK = 3,      /* on_conditional is asked about each */
    ZL_CONDITIONAL_ASK_TRIED = 4 /* the same, and sees what each makes of the chunk */
} zl_conditional_policy;

/* Should a codec be applied? Pointers are borrowed by the callback. */
typedef struct zl_conditional_question {
    const char *key;     /* of the stored object that the chunk is, or is a part of */
    int32_t codec_index; /* in the list */
    const char *codec;   /* its name */
    const void *data;    /* the chunk in front of all codecs of the list */
    size_t size;
    const void *encoded; /* the same encoded by this codec alone; NULL unless tried */
    size_t encoded_size;
} zl_conditional_question;
/* Called by any working thread, by several at a time. It must not call the library on the same context. */
typedef bool (*zl_conditional_fn)(void *user, const zl_conditional_question *question);

typedef struct zl_write_options {
    size_t size;
    int32_t threads; /* [the context's, which is also the most]; the bytes written do not depend on it */
    bool keep_fill;  /* store chunks even where all elements equal the fill value */
    zl_cancel *cancel;
    zl_progress_fn on_progress;
    void *progress_user;
    zl_conditional_policy conditional; /* for arrays with the codec "conditional" [ZL_CONDITIONAL_NEVER] */
    zl_conditional_fn on_conditional;
    void *conditional_user;
} zl_write_options;
#define ZL_WRITE_OPTIONS_INIT \
    { sizeof(zl_write_options), 0, false, NULL, NULL, NULL, ZL_CONDITIONAL_NEVER, NULL, NULL }
ZL_API void zl_write_options_init(zl_write_options *options);

/* Writes a region from the caller's memory. Chunks that the region covers are replaced, others are read, modified and
 * written; chunks that hold only the fill value are erased. Each chunk object changes atomically; the region as a whole
 * does not: after a failure some chunks are new and the others old. Writers of one process, on any handles of one store,
 * may overlap. INVALID_ARGUMENT, READ_ONLY, CORRUPT (an old chunk that must be merged), IO, LIMIT, CANCELLED, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_write(zl_array *array, const zl_region *region, zl_const_view src,
                                              const zl_write_options *options, zl_error *err);

/* A shard that is written piece by piece, for shards that are larger than memory. Inner chunks are encoded as they come and
 * go to the store; only the index stays in memory (16 bytes an inner chunk). A piece takes time and memory for its own
 * inner chunks, whatever the size of the shard. Nobody sees the shard before it is committed, which replaces an older one
 * as a whole. One thread at a time; keeps the array. */
typedef struct zl_shard_writer zl_shard_writer;
/* For the chunk of the grid at `coords` (rank coordinates). Returns new (free with zl_shard_writer_free). UNSUPPORTED where
 * chunks are no shards, a codec stands around them, their index comes first, or the store takes no objects in pieces:
 * zl_array_write does it then. INVALID_ARGUMENT, READ_ONLY, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_shard_writer_new(zl_shard_writer **out, zl_array *array, const int64_t *coords,
                                                   zl_error *err);
/* Writes a region of the array that is made of whole inner chunks of this shard (fewer elements only where the array ends);
 * each inner chunk once. The stored bytes follow the order of the pieces, not the number of threads. After a failure, but
 * for a region that is refused (INVALID_ARGUMENT), the shard cannot be finished. The statuses of zl_array_write. */
ZL_API ZL_MUST_CHECK zl_status zl_shard_writer_write(zl_shard_writer *writer, const zl_region *region, zl_const_view src,
                                                     const zl_write_options *options, zl_error *err);
/* Replaces the shard by what was written; inner chunks that were not have the fill value. To be called once. CONFLICT: the
 * array was resized in between. INVALID_ARGUMENT (a piece failed), IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_shard_writer_commit(zl_shard_writer *writer, zl_error *err);
/* Frees it; what is not committed is forgotten. NULL is fine. */
ZL_API void zl_shard_writer_free(zl_shard_writer *writer);

/* ------------------------------------------------------------------------------------------------ stored chunks */

/* Encoded chunks as they are stored, without decoding. `coords` are `rank` coordinates inside the grid
 * (zl_array_grid_shape), or for inner chunks those among all inner chunks of the array, whatever shard they are in.
 * INVALID_ARGUMENT outside. All these functions may be called by several threads on one handle. */

typedef struct zl_chunk_info {
    bool exists;            /* otherwise all is zero, and the elements have the fill value */
    uint64_t offset;        /* in the object: 0 for chunks of the grid */
    uint64_t size;          /* encoded bytes */
    uint64_t generation[2]; /* of the object; another one when it has been replaced */
} zl_chunk_info;
/* What is stored of a chunk of the grid: one request. IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_chunk_info(const zl_array *array, const int64_t *coords, zl_chunk_info *out,
                                                   zl_error *err);
/* Key of a chunk of the grid from the store's root, stored or not. Returns new (free with zl_buffer_free). NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_chunk_key(const zl_array *array, const int64_t *coords, zl_buffer *out,
                                                  zl_error *err);
/* The encoded bytes of a chunk of the grid, from `offset` on: `length` of them, or all with UINT64_MAX. Returns new (free
 * with zl_buffer_free). NOT_FOUND (it is not stored), INVALID_ARGUMENT (it has no such bytes), IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_read_encoded_chunk(const zl_array *array, const int64_t *coords, uint64_t offset,
                                                           uint64_t length, zl_buffer *out, zl_error *err);
/* Replaces a chunk of the grid by `size` encoded bytes, which are not looked at. Borrows. READ_ONLY, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_write_encoded_chunk(zl_array *array, const int64_t *coords, const void *data,
                                                            size_t size, zl_error *err);
/* Erases a chunk of the grid: its elements have the fill value afterwards. READ_ONLY, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_erase_chunk(zl_array *array, const int64_t *coords, zl_error *err);

/* Inner chunks along each axis (`rank` numbers to `shape`). False, and nothing is written, where chunks are not shards. */
ZL_API bool zl_array_inner_grid_shape(const zl_array *array, int64_t *shape);
/* The same as above for the inner chunks of the outermost shards. UNSUPPORTED: chunks are not shards; or a shard is encoded
 * as a whole, so that its inner chunks lie nowhere in the object (those can be written and erased all the same). CORRUPT (a
 * damaged index), CONFLICT (the shard changed again and again). Writing and erasing replaces the object of the shard. */
ZL_API ZL_MUST_CHECK zl_status zl_array_inner_chunk_info(const zl_array *array, const int64_t *coords, zl_chunk_info *out,
                                                         zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_array_read_encoded_inner_chunk(const zl_array *array, const int64_t *coords,
                                                                 uint64_t offset, uint64_t length, zl_buffer *out,
                                                                 zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_array_write_encoded_inner_chunk(zl_array *array, const int64_t *coords, const void *data,
                                                                  size_t size, zl_error *err);
ZL_API ZL_MUST_CHECK zl_status zl_array_erase_inner_chunk(zl_array *array, const int64_t *coords, zl_error *err);

/* ------------------------------------------------------------------------------------------------ growing and shrinking */

/* A handle knows the shape its array had when it was opened, and follows its own changes. Other handles learn of them by
 * zl_array_refresh. Several threads may write, append and resize through any handles of one store at once; other processes
 * that resize or append at the same time are noticed at the end if at all. */

/* Where an array outgrows the listed edges of a rectilinear chunk grid. Shrinking keeps them all. */
typedef enum zl_grid_growth {
    ZL_GRID_GROWTH_REPEATED = 0, /* the last edge of the list is repeated, in the metadata too */
    ZL_GRID_GROWTH_REFUSED = 1   /* INVALID_ARGUMENT */
} zl_grid_growth;

typedef struct zl_resize_options {
    size_t size;
    bool keep_chunks;           /* leave what lies beyond the new end: it comes back when the array grows again */
    zl_grid_growth grid_growth; /* [ZL_GRID_GROWTH_REPEATED] */
} zl_resize_options;
#define ZL_RESIZE_OPTIONS_INIT \
    { sizeof(zl_resize_options), false, ZL_GRID_GROWTH_REPEATED }
ZL_API void zl_resize_options_init(zl_resize_options *options);

/* Changes the shape to `rank` extents >= 0. New elements have the fill value. Shrinking erases the chunks outside, and
 * resets elements outside in chunks that are partly inside, before the new shape is stored: after a failure or a crash the
 * array has its old shape, and elements that were to go may have the fill value already. Waits for writes and appends
 * under way; writes that reach beyond the new end fail with CONFLICT. INVALID_ARGUMENT (also a chunk grid that
 * must not grow), LIMIT, NOT_FOUND, METADATA and CONFLICT (others removed, damaged or resized the array), READ_ONLY, IO,
 * CORRUPT (a chunk that must be reset), NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_resize(zl_array *array, const int64_t *shape, const zl_resize_options *options,
                                               zl_error *err);

/* Adds `count` >= 1 elements behind the end of `axis`: elements first, then the shape. `src` is a region of the array's
 * extents, but for `count` along `axis`. Several threads may append to one array at once, through one handle or several:
 * each gets a range of its own, whose first coordinate is `*start` (may be NULL); ranges become part of the array in their
 * order, so a call returns when those in front are done as well. A failed append leaves nothing, unless others have begun
 * behind it: then its range is there with unspecified elements. A crash may leave elements behind the end, which the next
 * append replaces. Rectilinear chunk grids repeat their last edge. The statuses of zl_array_write, and NOT_FOUND, METADATA,
 * CONFLICT as for zl_array_resize; CONFLICT also where the extents of other axes are not those that this handle knows. */
ZL_API ZL_MUST_CHECK zl_status zl_array_append(zl_array *array, int32_t axis, int64_t count, zl_const_view src,
                                               const zl_write_options *options, int64_t *start, zl_error *err);

/* Reads the metadata again: shape and attributes are then those that are stored. NOT_FOUND (the array was removed),
 * CONFLICT (another array has taken its place: open it), METADATA, IO, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_array_refresh(zl_array *array, zl_error *err);

/* ------------------------------------------------------------------------------------------------ casts */

/* How a value becomes one that the destination has. */
typedef enum zl_rounding {
    ZL_ROUND_NEAREST_EVEN = 0, /* ties to the value whose last digit is even */
    ZL_ROUND_TOWARDS_ZERO = 1,
    ZL_ROUND_TOWARDS_POSITIVE = 2,
    ZL_ROUND_TOWARDS_NEGATIVE = 3,
    ZL_ROUND_NEAREST_AWAY = 4 /* ties away from zero */
} zl_rounding;

/* What becomes of values that lie outside the destination's range once they are rounded. */
typedef enum zl_out_of_range {
    ZL_RANGE_ERROR = 0,
    ZL_RANGE_CLAMP = 1, /* to the end of the range; to infinity where the destination has it */
    ZL_RANGE_WRAP = 2   /* integers only: modulo 2^N */
} zl_out_of_range;

/* What a cast did to a value, the first that applies. */
typedef enum zl_cast_outcome {
    ZL_CAST_EXACT = 0,
    ZL_CAST_MAPPED = 1, /* by the map */
    ZL_CAST_ROUNDED = 2,
    ZL_CAST_CLAMPED = 3,
    ZL_CAST_WRAPPED = 4,
    ZL_CAST_NO_NAN = 5, /* from here on the value was refused: the destination has no NaN, */
    ZL_CAST_NO_INFINITY = 6,
    ZL_CAST_NO_NAT = 7,      /* or no "not a time", */
    ZL_CAST_OUT_OF_RANGE = 8 /* or the value is out of its range */
} zl_cast_outcome;

typedef struct zl_cast_options {
    size_t size;
    zl_rounding rounding;         /* [nearest-even] */
    zl_out_of_range out_of_range; /* [error] */
    const char *map_json; /* JSON array of [value, becomes] pairs, as fill values of either type; looked at first, and the
                             first pair of a value counts. "NaN" is any NaN; 0 and -0 are the same value [none] */
} zl_cast_options;
#define ZL_CAST_OPTIONS_INIT \
    { sizeof(zl_cast_options), ZL_ROUND_NEAREST_EVEN, ZL_RANGE_ERROR, NULL }
ZL_API void zl_cast_options_init(zl_cast_options *options);

/* Converts `rank` extents `shape` of elements between two data types by the rules of the cast_value codec: a value of the
 * map, the exact value, or rounding and then `out_of_range`; values round once, and none passes through a third type. Both
 * data types are set; views may not overlap. Integers (also of 2 and 4 bits), floating-point and time types. After a
 * failure the elements of `dst` are unspecified. Any thread. INVALID_ARGUMENT (also for an element that cannot be
 * converted: the message names it), NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_cast(zl_view dst, zl_const_view src, int32_t rank, const int64_t *shape,
                                       const zl_cast_options *options, zl_error *err);
/* The same for one value, from and to its JSON fill value encoding, such as 1.5 or "NaN". `*outcome` (may be NULL) is set
 * where the value was refused as well. Returns new (free with zl_buffer_free). INVALID_ARGUMENT, NO_MEMORY. */
ZL_API ZL_MUST_CHECK zl_status zl_cast_json(zl_context *context, const zl_dtype *from, const zl_dtype *to,
                                            const char *value_json, const zl_cast_options *options, zl_buffer *out,
                                            zl_cast_outcome *outcome, zl_error *err);

/* ------------------------------------------------------------------------------------------------ what is built in */

/* Is the codec of that registered name known, and is it in this build? Any thread. */
typedef enum zl_availability { ZL_UNKNOWN = 0, ZL_KNOWN_NOT_BUILT = 1, ZL_AVAILABLE = 2 } zl_availability;
ZL_API zl_availability zl_codec_available(const char *name);
/* Name of built-in codec `index`, in a fixed order, or NULL after the last one. Lends. */
ZL_API const char *zl_codec_name(size_t index);

#ifdef __cplusplus
}
#endif
#endif
