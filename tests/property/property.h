/* SPDX-License-Identifier: MIT */
/*
 * Random arrays, random chains of codecs, random writes and reads, against a slow reference that knows nothing of chunks
 * but how they decide what an element that nobody wrote reads as.
 */
#ifndef PROPERTY_H
#define PROPERTY_H

#include "dtype/dtype.h"
#include "store/store.h"
#include "zt_model.h"

#define PROP_ROWS_MAX 24
#define PROP_LEVELS_MAX 4
#define PROP_TEXT_MAX ((size_t)32 * 1024)
#define PROP_ELEMENT_MAX 32
#define PROP_CHUNKS_MAX 3 /* along an axis */

/* What a data type is to the table of codecs. */
enum {
    PROP_INT32 = 1,
    PROP_INT64 = 2,
    PROP_INTEGER = 4, /* 8 to 64 bits */
    PROP_FLOAT = 8,   /* 16 to 64 bits */
    PROP_PACKS = 16,  /* bool, any number, complex */
    PROP_FIXED = 32,
    PROP_STRING = 64,
    PROP_BYTES = 128,
    PROP_SIGNED = 256, /* of the integers */
    PROP_ZFP = 512,    /* 32 and 64 bits, signed */
    PROP_ANY = 1023
};

typedef struct prop_row {
    zt_row_kind kind;
    int64_t k;
    size_t decoded, encoded;
} prop_row;

/* A level of chunks: the grid's, the inner chunks of shards, theirs, ... */
typedef struct prop_level {
    int64_t cell[ZL_MAX_RANK]; /* their shape in the array's axes */
    int32_t rows_until;        /* how many rows are above their elements */
} prop_level;

/* One random array. */
typedef struct prop_array {
    zl_allocator allocator;
    zl_arena *arena; /* of all that follows, and of texts that slots point to */
    zt_random random;
    uint32_t flags; /* of the data type */
    const char *dtype_json;
    const zl_dtype *dtype;
    bool small; /* elements are 0, 1, 2, 3: codecs that compute are exact on them */
    bool dirty; /* elements may have bits that do not count */
    _Alignas(16) char fill[PROP_ELEMENT_MAX];
    _Alignas(16) char pool[4][PROP_ELEMENT_MAX];
    int32_t rank;
    int64_t shape[ZL_MAX_RANK];
    bool regular;
    int64_t chunk[ZL_MAX_RANK];                  /* of a regular grid; what all chunks are multiples of */
    int64_t edges[ZL_MAX_RANK][PROP_CHUNKS_MAX]; /* lengths of all chunks of an axis */
    prop_level levels[PROP_LEVELS_MAX];
    int32_t level_count;
    prop_row rows[PROP_ROWS_MAX]; /* from the outside in; behind a codec that mixes elements none are listed */
    int32_t row_count;
    char text[PROP_TEXT_MAX]; /* metadata */
    size_t text_size;
    size_t shape_begin, shape_end; /* where the shape stands in it */
} prop_array;

/* Random everything. False, with a message printed: the array could not be made. */
bool prop_array_make(prop_array *array, uint64_t seed, const zl_allocator *allocator);
void prop_array_clear(prop_array *array);
/* Another shape from now on. */
void prop_array_reshape(prop_array *array, const int64_t *shape);
void prop_print(prop_array *array, const char *format, ...) ZL_PRINTF(2, 3);

/* ---- elements.c */

bool prop_type_choose(prop_array *array);
/* An element, of which `percent` in 100 are the fill value. */
void prop_element(prop_array *array, unsigned percent, void *out);
/* Prints the fill value as it stands in metadata. */
bool prop_fill_print(prop_array *array);

/* ---- chain.c */

/* Prints the list of codecs and fills levels and rows. */
void prop_chain_print(prop_array *array);
/* Prints which built-in codecs have no line in the table. */
void prop_table_check(void);

/* ---- views.c: regions of the array and the caller's memory for them */

typedef struct prop_region {
    int64_t start[ZL_MAX_RANK], shape[ZL_MAX_RANK], step[ZL_MAX_RANK];
} prop_region;
void prop_region_choose(prop_array *array, prop_region *out);

typedef struct prop_view {
    char *memory;
    size_t size;
    char *data;
    int64_t stride[ZL_MAX_RANK];
} prop_view;
/* Random strides; `source`: some may be 0. Memory is set to PROP_BLANK. */
void prop_view_choose(prop_array *array, const int64_t *shape, bool source, prop_view *out);
void prop_view_clear(prop_view *view);
#define PROP_BLANK 0xee

/* Counts `at` through a shape in C order; false at the end. Start from zeros, in a shape that holds elements. */
bool prop_next(int32_t rank, const int64_t *shape, int64_t *at);
char *prop_address(const prop_view *view, int32_t rank, const int64_t *at);
bool prop_is_empty(int32_t rank, const int64_t *shape);

/* ---- pieces.c */

#define PROP_PIECES_MAX 8
/* A chunk of the grid that holds elements of the array, and which. */
void prop_chunk_choose(prop_array *array, int64_t *coords, prop_region *out);
/* Cuts a shard between its inner chunks into pieces, in random order, and leaves some out. Returns their number. */
size_t prop_pieces_choose(prop_array *array, const prop_region *shard, const int64_t *inner, prop_region *pieces);

/* ---- reference.c */

typedef struct prop_reference {
    prop_array *array;
    int64_t shape[ZL_MAX_RANK]; /* of the largest array that was seen */
    int64_t count;
    char *values;
    uint8_t *depth; /* 0: nothing is stored for the element; n: a chunk of level n-1 around it was written */
    _Alignas(16) char seen_as[PROP_LEVELS_MAX][PROP_ELEMENT_MAX]; /* an element that nobody wrote, by depth - 1 */
} prop_reference;
void prop_reference_init(prop_reference *reference, prop_array *array);
void prop_reference_clear(prop_reference *reference);
void prop_reference_write(prop_reference *reference, const prop_region *region, const prop_view *view);
/* A chunk of the grid is stored anew, so far without any part. */
void prop_reference_replace(prop_reference *reference, const prop_region *chunk);
/* The element a read must give. */
const char *prop_reference_at(const prop_reference *reference, const int64_t *at);

/* ---- run.c */

/* Runs one case; false after a failure, which is printed. */
bool prop_run(uint64_t seed, bool verbose);

#endif
