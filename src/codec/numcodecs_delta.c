/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.delta: the first element, then differences of neighbours in C order, in another type if so named.
 * Spec: https://numcodecs.readthedocs.io/en/stable/filter/delta.html
 *
 * Differences are those of the decoded type. Sums are those of the type that NumPy finds for both, and each is converted:
 * integers wrap, floating-point numbers round, so that decoded numbers need not be what they were.
 */
#include "codec/numcodecs_numbers.h"
#include "dtype/minifloat.h"

#define BLOCK 256 /* numbers that are converted at a time */

/* For one data type. */
struct resolved {
    zl_numpy_types types;
    zl_cast_plan encode;
    zl_cast_plan decode, finish; /* to the type of the sums, and from it */
    bool narrows;                /* to smaller integers */
    void (*subtract)(void *differences, const void *values, size_t n);
    void (*add)(void *numbers, size_t n); /* in place */
};

/* For one chunk shape. */
struct bound {
    const struct resolved *how;
    size_t count;
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"dtype", "astype", NULL};
    (void)env;
    *self = configuration;
    return zl_json_only(configuration, keys, err);
}

/* ---- arithmetic: of `n` numbers that have others in front of them */

#define DEFINE_DELTA(type)                                                         \
    static void subtract_##type(void *differences, const void *values, size_t n) { \
        type *to = differences;                                                    \
        const type *from = values;                                                 \
        for (size_t i = 0; i < n; i++) {                                           \
            to[i] = (type)(from[i] - from[(ptrdiff_t)i - 1]);                      \
        }                                                                          \
    }                                                                              \
    static void add_##type(void *numbers, size_t n) {                              \
        type *at = numbers;                                                        \
        for (; n > 0; at++, n--) {                                                 \
            *at = (type)(at[-1] + *at);                                            \
        }                                                                          \
    }
DEFINE_DELTA(uint8_t)
DEFINE_DELTA(uint16_t)
DEFINE_DELTA(uint32_t)
DEFINE_DELTA(uint64_t)
DEFINE_DELTA(float)
DEFINE_DELTA(double)

static double half_value(uint16_t code) {
    return zl_minifloat_to_double(&zl_minifloats[ZL_MINIFLOAT_FLOAT16], code);
}

static uint16_t half_code(double value) {
    uint64_t code = 0;
    (void)zl_minifloat_from_double(&zl_minifloats[ZL_MINIFLOAT_FLOAT16], value, &code); /* which has infinity and NaN */
    return (uint16_t)code;
}

static void subtract_half(void *differences, const void *values, size_t n) {
    uint16_t *to = differences;
    const uint16_t *from = values;
    for (size_t i = 0; i < n; i++) {
        to[i] = half_code(half_value(from[i]) - half_value(from[(ptrdiff_t)i - 1]));
    }
}

static void add_half(void *numbers, size_t n) {
    uint16_t *at = numbers;
    for (; n > 0; at++, n--) {
        *at = half_code(half_value(at[-1]) + half_value(*at));
    }
}

/* Index of the loop for a type. */
static size_t loop_of(const zl_number *number) {
    switch (number->bits) {
    case 8: return 0;
    case 16: return number->kind == ZL_NUMBER_FLOAT ? 4 : 1;
    case 32: return number->kind == ZL_NUMBER_FLOAT ? 5 : 2;
    default: return number->kind == ZL_NUMBER_FLOAT ? 6 : 3;
    }
}

/* Bits of the floating-point type that NumPy finds for a type and some other that is floating-point. */
static int float_bits(const zl_number *number) {
    if (number->kind == ZL_NUMBER_FLOAT) return number->bits;
    return number->bits == 8 ? 16 : number->bits == 16 ? 32 : 64;
}

/* The type of the sums. For integers any is right that has the bits. */
static void find_sum(const zl_number *decoded, const zl_number *encoded, zl_number *out) {
    *out = *decoded;
    if (decoded->kind != ZL_NUMBER_FLOAT && encoded->kind != ZL_NUMBER_FLOAT) return;
    const int a = float_bits(decoded), b = float_bits(encoded), bits = a > b ? a : b;
    zl_number_of(zl_dtype_builtin(bits == 16 ? ZL_DTYPE_FLOAT16 : bits == 32 ? ZL_DTYPE_FLOAT32 : ZL_DTYPE_FLOAT64), out);
}

static void make_plans(struct resolved *how) {
    static void (*const subtract[])(void *, const void *, size_t) = {
        subtract_uint8_t, subtract_uint16_t, subtract_uint32_t, subtract_uint64_t,
        subtract_half,    subtract_float,    subtract_double,
    };
    static void (*const add[])(void *, size_t) = {add_uint8_t, add_uint16_t, add_uint32_t, add_uint64_t,
                                                  add_half,    add_float,    add_double};
    const zl_number *decoded = &how->types.decoded_number, *encoded = &how->types.encoded_number;
    zl_number sum;
    find_sum(decoded, encoded, &sum);
    const bool whole = decoded->kind != ZL_NUMBER_FLOAT; /* differences wrap; whether they come back is another question */
    zl_numpy_cast(decoded, encoded, whole ? ZL_RANGE_WRAP : ZL_RANGE_ERROR, &how->encode);
    zl_numpy_cast(encoded, &sum, ZL_RANGE_WRAP, &how->decode);
    zl_numpy_cast(&sum, decoded, ZL_RANGE_WRAP, &how->finish);
    how->narrows = whole && encoded->kind != ZL_NUMBER_FLOAT && encoded->bits < decoded->bits;
    how->subtract = subtract[loop_of(decoded)];
    how->add = add[loop_of(&sum)];
}

/* ---- for one data type and chunk shape */

static size_t encode_one(const void *self, void *dst, const void *src, size_t n) {
    return zl_cast_run(&((const struct resolved *)self)->encode, dst, src, n);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **result,
                         zl_error *err) {
    const zl_numpy_names names = {"numcodecs.delta", "dtype", "astype", self};
    struct resolved *how = ZL_ARENA_NEW(env->arena, struct resolved);
    if (!how) return zl_fail_memory(err, sizeof *how);
    zl_numpy_types *types = &how->types;
    ZL_TRY(zl_numpy_types_find(&names, in->dtype, types, err));
    make_plans(how);
    *result = how;
    return zl_numpy_level(types, encode_one, how, in, out, env, err);
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)level, (void)out;
    int64_t count;
    if (!zl_shape_count(in, &count)) return zl_fail(err, ZL_ERR_LIMIT, "numcodecs.delta: a chunk has too many elements");
    struct bound *bound = ZL_ARENA_NEW(arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    bound->how = resolved;
    bound->count = (size_t)count;
    *result = bound;
    return ZL_OK;
}

static zl_status refuse(const struct bound *bound, bool encoding, const void *element, size_t index, const zl_call *call) {
    return zl_error_wrap(call->err, zl_numpy_refuse(&bound->how->types, encoding, element, call->err),
                         "at element %zu of the chunk: ", index);
}

/* How many encoded integers are the differences that they were made from. */
static size_t count_kept(const struct resolved *how, const void *encoded, const void *differences, size_t n) {
    const size_t width = how->types.decoded_number.width;
    uint64_t memory[BLOCK];
    const char *back = (const char *)memory;
    (void)zl_cast_run(&how->decode, memory, encoded, n); /* integers wrap, none is refused */
    size_t i = 0;
    while (i < n && memcmp(back + i * width, (const char *)differences + i * width, width) == 0) {
        i++;
    }
    return i;
}

static zl_status encode(const void *self, const void *src, void *dst, const zl_call *call) {
    const struct bound *bound = self;
    const struct resolved *how = bound->how;
    const size_t from_width = how->types.decoded_number.width, to_width = how->types.encoded_number.width;
    uint64_t differences[BLOCK];
    for (size_t i = 0; i < bound->count; i += BLOCK) {
        const size_t n = bound->count - i < BLOCK ? bound->count - i : BLOCK;
        const size_t first = i == 0; /* which has nothing in front and stays as it is */
        const char *from = (const char *)src + i * from_width;
        char *to = (char *)differences;
        if (first) memcpy(to, from, from_width);
        how->subtract(to + first * from_width, from + first * from_width, n - first);
        size_t done = zl_cast_run(&how->encode, (char *)dst + i * to_width, differences, n);
        if (how->narrows) done = count_kept(how, (const char *)dst + i * to_width, differences, done);
        if (done < n) return refuse(bound, true, to + done * from_width, i + done, call);
    }
    return ZL_OK;
}

static zl_status decode(const void *self, const void *src, void *dst, const zl_call *call) {
    const struct bound *bound = self;
    const struct resolved *how = bound->how;
    const size_t from_width = how->types.encoded_number.width, to_width = how->types.decoded_number.width;
    const size_t width = how->decode.to.width;
    uint64_t memory[1 + BLOCK];
    char *numbers = (char *)(memory + 1); /* with the last sum in front of them */
    for (size_t i = 0; i < bound->count; i += BLOCK) {
        const size_t n = bound->count - i < BLOCK ? bound->count - i : BLOCK;
        const size_t first = i == 0;
        const char *from = (const char *)src + i * from_width;
        size_t done = zl_cast_run(&how->decode, numbers, from, n);
        how->add(numbers + first * width, done - first);
        done = zl_cast_run(&how->finish, (char *)dst + i * to_width, numbers, done);
        if (done < n) return refuse(bound, false, from + done * from_width, i + done, call);
        memcpy(numbers - width, numbers + (n - 1) * width, width);
    }
    return ZL_OK;
}

static const zl_aa_ops aa = {.decode = decode, .encode = encode};

const zl_codec_class zl_codec_numcodecs_delta = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.delta",
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/delta.html",
    .parse = parse,
    .emit = zl_numpy_emit,
    .resolve = resolve,
    .bind = bind,
    .aa = &aa,
};
