/* SPDX-License-Identifier: MIT */
/* The codec zfp with all its modes, chunks and data types, for the tests of streams, boxes and damage. */
#ifndef ZT_ZFP_H
#define ZT_ZFP_H

#include "zt_codec.h"

#define ZFP(configuration) "{\"name\":\"zfp\",\"configuration\":" configuration "}"
#define ZFPY(configuration) "{\"name\":\"numcodecs.zfpy\",\"configuration\":" configuration "}"
#define RATE(rate) "{\"mode\":\"fixed_rate\",\"rate\":" rate "}"
#define EXPERT(minbits, maxbits, maxprec, minexp) \
    "{\"mode\":\"expert\",\"minbits\":" minbits ",\"maxbits\":" maxbits ",\"maxprec\":" maxprec ",\"minexp\":" minexp "}"
#define REVERSIBLE "{\"mode\":\"reversible\"}"
#define TIME "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"s\",\"scale_factor\":1}}"

#define ZT_ZFP_COUNT_MAX 1200       /* elements of a chunk in these tests */
#define ZT_ZFP_BOX_MEMORY (1 << 15) /* bytes for a box of them, with gaps */

enum { ZT_ZFP_MODES = 9, ZT_ZFP_SHAPES = 9, ZT_ZFP_TYPES = 17, ZT_ZFP_NATIVE_TYPES = 4 };
/* Configurations; zfpy has some of these modes, NULL where it has not. */
extern const char *const zt_zfp_modes[ZT_ZFP_MODES];
extern const char *const zt_zfpy_modes[ZT_ZFP_MODES];

typedef struct zt_zfp_shape {
    int32_t rank;
    int64_t dim[4];
} zt_zfp_shape;
extern const zt_zfp_shape zt_zfp_shapes[ZT_ZFP_SHAPES];

extern const char *const zt_zfp_types[ZT_ZFP_TYPES];
/* Those that libzfp itself has. */
extern const char *const zt_zfp_native_types[ZT_ZFP_NATIVE_TYPES];

typedef struct zt_zfp {
    zt_codec codec;
    size_t size, count; /* of an element, of elements */
} zt_zfp;

zl_status zt_zfp_try_open(zt_zfp *f, const char *json, const char *data_type, const zt_zfp_shape *shape);
void zt_zfp_open(zt_zfp *f, const char *codec, const char *mode, const char *data_type, const zt_zfp_shape *shape);
void zt_zfp_close(zt_zfp *f);
/* Opens "zfp" or "numcodecs.zfpy" for each of some data types, each shape and mode, and runs a check of that. */
typedef void (*zt_zfp_check_fn)(zt_zfp *f, size_t mode, zt_random *random);
void zt_zfp_each(const char *codec, const char *const *types, size_t count, uint64_t seed, zt_zfp_check_fn check);

/* All elements of the chunk. */
void zt_zfp_encode(zt_zfp *f, const void *elements, zl_sink *out);
void zt_zfp_decode(zt_zfp *f, const zl_sink *stored, void *elements);
/* A box, as zt_codec_decode; scratch is given back. */
zl_status zt_zfp_try_decode(zt_zfp *f, const void *stored, size_t size, const zl_box *box);

bool zt_zfp_is_float(const zl_dtype *dtype);
/* Element `i` as a number. */
double zt_zfp_number(const zl_dtype *dtype, const void *elements, size_t i);
/* Bits of the integers here: all, or all but two, since libzfp takes no larger ones without overflow. */
unsigned zt_zfp_range_bits(const zl_dtype *dtype);
/* Smooth numbers that take most of the type's range where that is small, with some noise. */
void zt_zfp_make(zt_random *random, const zl_dtype *dtype, void *elements, size_t count);
/* A random part of the chunk or all of it, in memory with random strides; `data` points to its first element. */
zl_box zt_zfp_random_box(zt_random *random, const zt_zfp *f, bool whole, char *memory);

#endif
