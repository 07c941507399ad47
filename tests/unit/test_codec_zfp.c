/* SPDX-License-Identifier: MIT */
/*
 * zfp and numcodecs.zfpy: the same streams and values as libzfp's own calls for whole arrays, boxes of any kind, and
 * streams that are damaged in every way that can be thought of.
 */
#include "zt_codec.h"

#if ZL_HAVE_ZFP
#include <math.h>

#include <zfp.h>

#include "codec/zfp_values.h"
#include "dtype/family.h"
#include "dtype/minifloat.h"

#define ZFP(configuration) "{\"name\":\"zfp\",\"configuration\":" configuration "}"
#define ZFPY(configuration) "{\"name\":\"numcodecs.zfpy\",\"configuration\":" configuration "}"
#define RATE(rate) "{\"mode\":\"fixed_rate\",\"rate\":" rate "}"
#define EXPERT(minbits, maxbits, maxprec, minexp) \
    "{\"mode\":\"expert\",\"minbits\":" minbits ",\"maxbits\":" maxbits ",\"maxprec\":" maxprec ",\"minexp\":" minexp "}"
#define REVERSIBLE "{\"mode\":\"reversible\"}"
#define TIME "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"s\",\"scale_factor\":1}}"

#define COUNT_MAX 1200       /* elements of a chunk in these tests */
#define BOX_MEMORY (1 << 15) /* bytes for a box of them, with gaps */

static const char *const modes[] = {
    REVERSIBLE,
    RATE("9.3"),
    RATE("16"),
    "{\"mode\":\"fixed_precision\",\"precision\":14}",
    "{\"mode\":\"fixed_precision\",\"precision\":0}",
    "{\"mode\":\"fixed_accuracy\",\"tolerance\":0.01}",
    EXPERT("100", "400", "20", "-20"),
    EXPERT("333", "333", "64", "-1074"),
    EXPERT("1", "16658", "64", "-2000000000"),
};

/* The same modes, where zfpy has them. */
static const char *const zfpy_modes[ZL_COUNT_OF(modes)] = {
    [0] = "{\"mode\":4,\"tolerance\":-1,\"rate\":-1,\"precision\":-1,\"compression_kwargs\":{\"tolerance\":-1}}",
    [1] = "{\"mode\":2,\"rate\":9.3}",
    [2] = "{\"mode\":2,\"rate\":16,\"tolerance\":-1,\"precision\":-1}",
    [3] = "{\"mode\":3,\"precision\":14}",
    [5] = "{\"mode\":4,\"tolerance\":0.01}",
};

static const struct field_shape {
    int32_t rank;
    int64_t dim[4];
} shapes[] = {
    {0, {0}},       {1, {37}},       {1, {8}},          {2, {9, 6}},       {2, {8, 4}},
    {3, {5, 6, 3}}, {3, {4, 8, 12}}, {4, {3, 5, 2, 6}}, {4, {4, 5, 4, 8}},
};

typedef struct fixture {
    zt_memory memory;
    zt_codec codec;
    size_t size, count; /* of an element, of elements */
} fixture;

static zl_status try_open(fixture *f, const char *json, const char *data_type, const struct field_shape *shape) {
    const zl_allocator allocator = zt_allocator(&f->memory, 0);
    ZL_TRY(zt_codec_init(&f->codec, &allocator));
    ZL_TRY(zt_codec_open(&f->codec, json, data_type, NULL, shape->rank, shape->dim));
    int64_t count;
    assert_true(zl_shape_count(&f->codec.shape, &count) && count <= COUNT_MAX);
    f->size = f->codec.in.dtype->size;
    f->count = (size_t)count;
    return ZL_OK;
}

static void open_fixture(fixture *f, const char *codec, const char *mode, const char *data_type,
                         const struct field_shape *shape) {
    char json[512];
    snprintf(json, sizeof json, "{\"name\":\"%s\",\"configuration\":%s}", codec, mode);
    zt_assert_ok(try_open(f, json, data_type, shape), &f->codec.err);
}

static void close_fixture(fixture *f) {
    zt_codec_close(&f->codec);
    zt_assert_no_leak(&f->memory);
}

static zl_status try_encode(fixture *f, const zl_box *box, zl_sink *out) {
    *out = (zl_sink){.max = (size_t)f->codec.cls->ab->bound(f->codec.bound), .allocator = &f->codec.allocator};
    const zl_status status = f->codec.cls->ab->encode(f->codec.bound, box, out, &f->codec.call);
    if (status != ZL_OK) zl_sink_free(out);
    return status;
}

static void encode(fixture *f, const void *elements, zl_sink *out) {
    const zl_box box = zt_codec_box(&f->codec.shape, f->size, (void *)elements);
    zt_assert_ok(try_encode(f, &box, out), &f->codec.err);
}

static zl_status try_decode(fixture *f, const void *stored, size_t size, const zl_box *box) {
    const zl_worker_mark mark = zl_worker_get_mark(f->codec.worker);
    const zl_status status = f->codec.cls->ab->decode(f->codec.bound, (zl_span){stored, size}, box, &f->codec.call);
    zl_worker_reset(f->codec.worker, mark);
    return status;
}

static void decode(fixture *f, const zl_sink *stored, void *elements) {
    const zl_box box = zt_codec_box(&f->codec.shape, f->size, elements);
    zt_assert_ok(try_decode(f, stored->data, stored->size, &box), &f->codec.err);
}

/* ---- elements */

static const char *const data_types[] = {"\"int2\"",    "\"uint2\"",  "\"int4\"",    "\"uint4\"",    "\"int8\"",
                                         "\"uint8\"",   "\"int16\"",  "\"uint16\"",  "\"int32\"",    "\"uint32\"",
                                         "\"int64\"",   "\"uint64\"", "\"float16\"", "\"bfloat16\"", "\"float32\"",
                                         "\"float64\"", TIME};

static bool is_float(const zl_dtype *dtype) {
    return dtype->cls == &zl_dtype_class_float;
}

/* Element `i` as a number. */
static double number_at(const zl_dtype *dtype, const void *elements, size_t i) {
    const uint64_t bits = zl_load_unit((const char *)elements + i * dtype->size, dtype->size);
    if (is_float(dtype)) return zl_minifloat_to_double(dtype->params, bits);
    if (dtype->name[0] == 'u') return (double)bits;
    return (double)zl_sign_extend(bits, (unsigned)dtype->size * 8);
}

/* Bits of the integers here: all, or all but two, since libzfp takes no larger ones without overflow. */
static unsigned range_bits(const zl_dtype *dtype) {
    return dtype->units[0].bits < 32 ? dtype->units[0].bits : dtype->units[0].bits - 2u;
}

/* Smooth numbers that take most of the type's range where that is small, with some noise. */
static void make_elements(zt_random *random, const zl_dtype *dtype, void *elements, size_t count) {
    const unsigned bits = range_bits(dtype);
    const bool is_signed = dtype->name[0] != 'u';
    const double range = is_float(dtype) ? 100 : ldexp(1, (int)bits - 1) - 1;
    const double phase = (double)zt_random_below(random, 100);
    for (size_t i = 0; i < count; i++) {
        const double wave = 0.9 * sin((double)i * 0.05 + phase) + 0.001 * (double)zt_random_below(random, 100);
        const double value = range * (is_signed ? wave : wave + 1);
        uint64_t code = 0;
        if (is_float(dtype))
            assert_true(zl_minifloat_from_double(dtype->params, value, &code));
        else
            code = (uint64_t)(int64_t)value;
        zl_store_unit((char *)elements + i * dtype->size, dtype->size, code);
    }
    zl_dtype_fix(dtype, false, elements, count);
}

/* ---- libzfp's own */

static zfp_type type_of(const zl_dtype *dtype) {
    switch (dtype->id) {
    case ZL_DTYPE_INT32: return zfp_type_int32;
    case ZL_DTYPE_INT64: return zfp_type_int64;
    case ZL_DTYPE_FLOAT32: return zfp_type_float;
    default: return zfp_type_double;
    }
}

static void set_mode(zfp_stream *stream, size_t mode, zfp_type type, unsigned rank) {
    switch (mode) {
    case 0: zfp_stream_set_reversible(stream); break;
    case 1: zfp_stream_set_rate(stream, 9.3, type, rank, 0); break;
    case 2: zfp_stream_set_rate(stream, 16, type, rank, 0); break;
    case 3: zfp_stream_set_precision(stream, 14); break;
    case 4: zfp_stream_set_precision(stream, 0); break;
    case 5: zfp_stream_set_accuracy(stream, 0.01); break;
    case 6: assert_true(zfp_stream_set_params(stream, 100, 400, 20, -20)); break;
    case 7: assert_true(zfp_stream_set_params(stream, 333, 333, 64, -1074)); break;
    default: assert_true(zfp_stream_set_params(stream, 1, 16658, 64, -2000000000)); break;
    }
}

static zfp_field *make_field(void *elements, zfp_type type, const zl_shape *shape) {
    const int64_t *dim = shape->dim;
    switch (shape->rank) {
    case 0: return zfp_field_1d(elements, type, 1);
    case 1: return zfp_field_1d(elements, type, (size_t)dim[0]);
    case 2: return zfp_field_2d(elements, type, (size_t)dim[1], (size_t)dim[0]);
    case 3: return zfp_field_3d(elements, type, (size_t)dim[2], (size_t)dim[1], (size_t)dim[0]);
    default: return zfp_field_4d(elements, type, (size_t)dim[3], (size_t)dim[2], (size_t)dim[1], (size_t)dim[0]);
    }
}

/* Our stream of `elements` is libzfp's but for zeros at its end, and so are the values that come out of it. */
static void check_against_libzfp(fixture *f, size_t mode, bool header, void *elements) {
    const zfp_type type = type_of(f->codec.in.dtype);
    zfp_field *field = make_field(elements, type, &f->codec.shape);
    zfp_stream *stream = zfp_stream_open(NULL);
    set_mode(stream, mode, type, zfp_field_dimensionality(field));
    const size_t cap = zfp_stream_maximum_size(stream, field) + 64;
    uint8_t *theirs = calloc(1, cap);
    char *expected = calloc(f->count, f->size), *found = calloc(f->count, f->size);
    assert_true(theirs && expected && found);
    bitstream *bits = stream_open(theirs, cap);
    zfp_stream_set_bit_stream(stream, bits);
    if (header) assert_true(zfp_write_header(stream, field, ZFP_HEADER_FULL) > 0);
    const size_t size = zfp_compress(stream, field);
    zl_sink ours;
    encode(f, elements, &ours);
    assert_int_equal(ours.size, (size + 7) / 8 * 8);
    assert_memory_equal(ours.data, theirs, ours.size);
    zfp_stream_rewind(stream);
    if (header) assert_true(zfp_read_header(stream, field, ZFP_HEADER_FULL) > 0);
    zfp_field_set_pointer(field, expected);
    assert_true(zfp_decompress(stream, field) > 0);
    decode(f, &ours, found);
    assert_memory_equal(found, expected, f->count * f->size);
    zl_sink_free(&ours);
    stream_close(bits);
    zfp_stream_close(stream);
    zfp_field_free(field);
    free(theirs);
    free(expected);
    free(found);
}

static const char *const native_types[] = {"\"int32\"", "\"int64\"", "\"float32\"", "\"float64\""};

static void test_same_as_libzfp(void **state) {
    (void)state;
    zt_random random = zt_random_seed(1);
    _Alignas(8) char elements[COUNT_MAX * 8];
    for (size_t type = 0; type < ZL_COUNT_OF(native_types); type++) {
        for (size_t shape = 0; shape < ZL_COUNT_OF(shapes); shape++) {
            for (size_t mode = 0; mode < ZL_COUNT_OF(modes); mode++) {
                fixture f;
                open_fixture(&f, "zfp", modes[mode], native_types[type], &shapes[shape]);
                make_elements(&random, f.codec.in.dtype, elements, f.count);
                check_against_libzfp(&f, mode, false, elements);
                close_fixture(&f);
            }
        }
    }
}

static void test_zfpy_same_as_libzfp(void **state) {
    (void)state;
    zt_random random = zt_random_seed(2);
    _Alignas(8) char elements[COUNT_MAX * 8];
    for (size_t type = 0; type < ZL_COUNT_OF(native_types); type++) {
        for (size_t shape = 0; shape < ZL_COUNT_OF(shapes); shape++) {
            for (size_t mode = 0; mode < ZL_COUNT_OF(modes); mode++) {
                if (!zfpy_modes[mode]) continue;
                fixture f;
                open_fixture(&f, "numcodecs.zfpy", zfpy_modes[mode], native_types[type], &shapes[shape]);
                make_elements(&random, f.codec.in.dtype, elements, f.count);
                check_against_libzfp(&f, mode, true, elements);
                close_fixture(&f);
            }
        }
    }
}

/* ---- all types */

/* The most that a value may be off: nothing in reversible mode, the tolerance, or a share of the range that is generous for
 * all lossy modes here. */
static double error_bound(const zl_dtype *dtype, size_t mode) {
    if (mode == 0 || mode == 8) return 0;
    const double rounding = is_float(dtype) ? (dtype->size == 2 ? 0.5 : 0) : 1;
    if (mode == 5 && is_float(dtype)) return 0.01 + rounding;
    const unsigned bits = range_bits(dtype);
    const double share = mode == 6 || mode == 7 ? 1 : 0.08; /* little is left to blocks of four dimensions */
    return rounding + share * (is_float(dtype) ? 200 : ldexp(1, (int)bits));
}

static void test_types(void **state) {
    (void)state;
    zt_random random = zt_random_seed(3);
    _Alignas(8) char elements[COUNT_MAX * 8], back[COUNT_MAX * 8];
    for (size_t type = 0; type < ZL_COUNT_OF(data_types); type++) {
        for (size_t shape = 0; shape < ZL_COUNT_OF(shapes); shape++) {
            for (size_t mode = 0; mode < ZL_COUNT_OF(modes); mode++) {
                fixture f;
                open_fixture(&f, "zfp", modes[mode], data_types[type], &shapes[shape]);
                const zl_dtype *dtype = f.codec.in.dtype;
                make_elements(&random, dtype, elements, f.count);
                zl_sink stored;
                encode(&f, elements, &stored);
                assert_int_equal(stored.size % 8, 0);
                decode(&f, &stored, back);
                const double bound = error_bound(dtype, mode);
                if (bound == 0) assert_memory_equal(back, elements, f.count * f.size);
                for (size_t i = 0; i < f.count; i++) {
                    const double a = number_at(dtype, elements, i), b = number_at(dtype, back, i);
                    if (fabs(a - b) <= bound) continue;
                    fail_msg("%s, %s, rank %d: element %zu is %g, was %g", data_types[type], modes[mode],
                             (int)shapes[shape].rank, i, b, a);
                }
                zl_sink_free(&stored);
                close_fixture(&f);
            }
        }
    }
}

/* Every float16 and bfloat16 is kept, NaNs bit by bit; floats round to them as all others of the library do. */
static void test_small_floats(void **state) {
    (void)state;
    static const zl_dtype_id ids[] = {ZL_DTYPE_FLOAT16, ZL_DTYPE_BFLOAT16};
    zt_random random = zt_random_seed(8);
    for (size_t k = 0; k < 2; k++) {
        zl_zfp_values values;
        assert_true(zl_zfp_values_of(zl_dtype_builtin(ids[k]), &values));
        for (uint32_t code = 0; code < 65536; code++) {
            const uint16_t element = (uint16_t)code;
            float value;
            uint16_t back;
            zl_zfp_promote(&values, &value, &element, 1);
            const double expected = zl_minifloat_to_double(values.format, code);
            assert_true((double)value == expected || (isnan(value) && isnan(expected)));
            zl_zfp_demote(&values, &back, &value, 1);
            assert_int_equal(back, code);
        }
        for (int i = 0; i < 100000; i++) {
            uint32_t bits = (uint32_t)zt_random_next(&random);
            if (i % 3 == 0) bits = (bits & 0x87ffffff) | 0x38000000; /* in the range of float16 */
            if (i % 4 == 0) bits &= ~(uint32_t)0x1fff;               /* ties */
            if (i % 8 == 0) bits |= 0x1000;
            float value;
            uint16_t found;
            uint64_t expected = 0;
            memcpy(&value, &bits, sizeof value);
            zl_zfp_demote(&values, &found, &value, 1);
            assert_true(zl_minifloat_from_double(values.format, (double)value, &expected));
            if (isnan(value))
                assert_true(zl_minifloat_is_nan(values.format, found));
            else
                assert_int_equal(found, expected);
        }
    }
}

/* Blocks of zeros between others: in lossless modes with a least size, libzfp encodes them shorter than it decodes them. */
static void test_zeros(void **state) {
    (void)state;
    const struct field_shape shape = {2, {10, 13}};
    for (size_t type = 0; type < ZL_COUNT_OF(native_types); type++) {
        fixture f;
        open_fixture(&f, "zfp", EXPERT("900", "16658", "64", "-1075"), native_types[type], &shape);
        for (size_t first = 0; first <= 130; first += 26) {
            _Alignas(8) char elements[130 * 8] = {0}, back[130 * 8];
            if (first < 130) memset(elements + first * f.size, 0x31, 13 * f.size);
            zl_sink stored;
            encode(&f, elements, &stored);
            decode(&f, &stored, back);
            assert_memory_equal(back, elements, 130 * f.size);
            zl_sink_free(&stored);
        }
        close_fixture(&f);
    }
}

/* Results of small integers stay in their range, and those without a sign above 0, whatever a stream says. */
static void test_demotion_clamps(void **state) {
    (void)state;
    static const int32_t extremes[4] = {INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN};
    static const struct {
        const char *data_type;
        int64_t low, high;
    } rows[] = {{"\"int2\"", -2, 1},          {"\"uint2\"", 0, 3},      {"\"int4\"", -8, 7},
                {"\"uint4\"", 0, 15},         {"\"int8\"", -128, 127},  {"\"uint8\"", 0, 255},
                {"\"int16\"", -32768, 32767}, {"\"uint16\"", 0, 65535}, {"\"uint32\"", 0, INT32_MAX}};
    const struct field_shape shape = {1, {4}};
    for (size_t i = 0; i < ZL_COUNT_OF(rows); i++) {
        fixture native, f;
        zl_sink stored;
        open_fixture(&native, "zfp", REVERSIBLE, "\"int32\"", &shape);
        encode(&native, extremes, &stored);
        open_fixture(&f, "zfp", REVERSIBLE, rows[i].data_type, &shape);
        _Alignas(8) char back[4 * 4];
        decode(&f, &stored, back);
        for (size_t k = 0; k < 4; k++) {
            const double expected = (double)(k % 2 ? rows[i].low : rows[i].high);
            assert_true(number_at(f.codec.in.dtype, back, k) == expected);
        }
        zl_sink_free(&stored);
        close_fixture(&f);
        close_fixture(&native);
    }
}

/* ---- boxes */

/* Decodes `box` from the ranges that the codec names, each in memory of its own. */
static void decode_ranges(fixture *f, const zl_sink *stored, const zl_box *box) {
    const zl_ab_ops *ab = f->codec.cls->ab;
    const size_t count = ab->ranges(f->codec.bound, box, NULL, 0);
    if (count == 0) {
        zt_assert_ok(try_decode(f, stored->data, stored->size, box), &f->codec.err);
        return;
    }
    zl_range ranges[COUNT_MAX];
    zl_span parts[COUNT_MAX];
    assert_true(count <= COUNT_MAX);
    assert_int_equal(ab->ranges(f->codec.bound, box, ranges, count), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(ranges[i].offset <= stored->size && ranges[i].length <= stored->size - ranges[i].offset);
        uint8_t *copy = malloc((size_t)ranges[i].length);
        assert_non_null(copy);
        memcpy(copy, stored->data + ranges[i].offset, (size_t)ranges[i].length);
        parts[i] = (zl_span){copy, (size_t)ranges[i].length};
    }
    const zl_worker_mark mark = zl_worker_get_mark(f->codec.worker);
    zt_assert_ok(ab->decode_ranges(f->codec.bound, stored->size, parts, box, &f->codec.call), &f->codec.err);
    zl_worker_reset(f->codec.worker, mark);
    for (size_t i = 0; i < count; i++)
        free((void *)parts[i].data);
}

/* A random part of the chunk or all of it, in memory with random strides; `data` points to its first element. */
static zl_box random_box(zt_random *random, const fixture *f, bool whole, char *memory) {
    const zl_shape *shape = &f->codec.shape;
    zl_box box = {.rank = shape->rank};
    int64_t stride = (int64_t)f->size, first = 0;
    const bool odd = zt_random_below(random, 4) == 0; /* strides that are no multiples of an element */
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        box.start[i] = whole ? 0 : zt_random_between(random, 0, shape->dim[i] - 1);
        box.shape[i] = whole ? shape->dim[i] : zt_random_between(random, 1, shape->dim[i] - box.start[i]);
        box.step[i] = 1;
        box.edge[i] = shape->dim[i];
        box.stride[i] = stride;
        if (zt_random_below(random, 3) == 0) {
            first += stride * (box.shape[i] - 1);
            box.stride[i] = -stride;
        }
        stride *= box.shape[i] + (int64_t)zt_random_below(random, 2);
        if (odd) stride++;
    }
    assert_true(stride <= BOX_MEMORY);
    box.data = memory + first;
    return box;
}

/* Where the element `at` of a box is in its memory and in the chunk. */
static char *in_box(const zl_box *box, const int64_t *at) {
    char *memory = box->data;
    for (int32_t i = 0; i < box->rank; i++)
        memory += at[i] * box->stride[i];
    return memory;
}
static size_t in_chunk(const fixture *f, const zl_box *box, const int64_t *at) {
    size_t number = 0;
    for (int32_t i = 0; i < box->rank; i++)
        number = number * (size_t)f->codec.shape.dim[i] + (size_t)(box->start[i] + at[i]);
    return number * f->size;
}
static bool next_element(const zl_box *box, int64_t *at) {
    int32_t axis = box->rank - 1;
    while (axis >= 0 && ++at[axis] == box->shape[axis])
        at[axis--] = 0;
    return axis >= 0;
}

static void check_box(const fixture *f, const zl_box *box, const char *chunk) {
    int64_t at[4] = {0};
    do {
        assert_memory_equal(in_box(box, at), chunk + in_chunk(f, box, at), f->size);
    } while (next_element(box, at));
}

static void fill_box(const fixture *f, const zl_box *box, const char *chunk) {
    int64_t at[4] = {0};
    do {
        memcpy(in_box(box, at), chunk + in_chunk(f, box, at), f->size);
    } while (next_element(box, at));
}

static void check_boxes(fixture *f, zt_random *random, char *memory) {
    _Alignas(8) char elements[COUNT_MAX * 8], chunk[COUNT_MAX * 8];
    zl_sink stored;
    make_elements(random, f->codec.in.dtype, elements, f->count);
    encode(f, elements, &stored);
    decode(f, &stored, chunk);
    for (int i = 0; i < 12; i++) {
        const zl_box box = random_box(random, f, i == 0, memory);
        memset(memory, 0xaa, BOX_MEMORY);
        zt_assert_ok(try_decode(f, stored.data, stored.size, &box), &f->codec.err);
        check_box(f, &box, chunk);
        memset(memory, 0x55, BOX_MEMORY);
        decode_ranges(f, &stored, &box);
        check_box(f, &box, chunk);
    }
    zl_sink_free(&stored);
}

static void test_boxes(void **state) {
    (void)state;
    static const char *const types[] = {"\"float32\"", "\"float64\"", "\"int16\"",
                                        "\"uint8\"",   "\"uint64\"",  "\"bfloat16\""};
    zt_random random = zt_random_seed(4);
    char *memory = malloc(BOX_MEMORY);
    assert_non_null(memory);
    for (size_t type = 0; type < ZL_COUNT_OF(types); type++) {
        for (size_t shape = 0; shape < ZL_COUNT_OF(shapes); shape++) {
            for (size_t mode = 0; mode < ZL_COUNT_OF(modes); mode++) {
                fixture f;
                open_fixture(&f, "zfp", modes[mode], types[type], &shapes[shape]);
                check_boxes(&f, &random, memory);
                close_fixture(&f);
            }
        }
    }
    free(memory);
}

/* Elements give the same stream from any memory layout. */
static void test_strided_source(void **state) {
    (void)state;
    zt_random random = zt_random_seed(5);
    _Alignas(8) char elements[COUNT_MAX * 8];
    char *memory = malloc(BOX_MEMORY);
    assert_non_null(memory);
    for (size_t type = 0; type < ZL_COUNT_OF(data_types); type++) {
        for (size_t shape = 0; shape < ZL_COUNT_OF(shapes); shape++) {
            for (size_t mode = 0; mode < ZL_COUNT_OF(modes); mode++) {
                fixture f;
                zl_sink stored, again;
                open_fixture(&f, "zfp", modes[mode], data_types[type], &shapes[shape]);
                make_elements(&random, f.codec.in.dtype, elements, f.count);
                encode(&f, elements, &stored);
                const zl_box box = random_box(&random, &f, true, memory);
                fill_box(&f, &box, elements);
                zt_assert_ok(try_encode(&f, &box, &again), &f.codec.err);
                assert_int_equal(again.size, stored.size);
                assert_memory_equal(again.data, stored.data, stored.size);
                zl_sink_free(&again);
                zl_sink_free(&stored);
                close_fixture(&f);
            }
        }
    }
    free(memory);
}

/* ---- damage */

/* Decodes bytes that are in memory of exactly their size. */
static zl_status decode_exact(fixture *f, const uint8_t *bytes, size_t size, const zl_box *box) {
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    const zl_status status = try_decode(f, exact, size, box);
    free(exact);
    return status;
}

/* Everything shorter is refused, but for the zeros that fill the last word, and so is what is a word longer. */
static void check_truncated(fixture *f, const zl_sink *stored, const char *chunk) {
    _Alignas(8) char back[COUNT_MAX * 8];
    const zl_box box = zt_codec_box(&f->codec.shape, f->size, back);
    bool refused = false;
    for (size_t size = stored->size + 8; size-- > 0;) {
        uint8_t bytes[COUNT_MAX * 9 + 64] = {0};
        assert_true(size <= sizeof bytes);
        memcpy(bytes, stored->data, size < stored->size ? size : stored->size);
        const zl_status status = decode_exact(f, bytes, size, &box);
        if (status == ZL_OK) {
            assert_true(!refused || size > stored->size - 8);
            assert_memory_equal(back, chunk, f->count * f->size);
        } else {
            assert_int_equal(status, ZL_ERR_CORRUPT);
            refused = size < stored->size;
        }
    }
    assert_true(refused);
}

static void check_mutated(fixture *f, zt_random *random, const zl_sink *stored, char *memory) {
    for (int i = 0; i < 60; i++) {
        uint8_t bytes[COUNT_MAX * 9 + 64];
        size_t size = stored->size;
        memcpy(bytes, stored->data, size);
        for (uint64_t k = zt_random_below(random, 6); k-- > 0;)
            bytes[zt_random_below(random, size)] ^= (uint8_t)(1u << zt_random_below(random, 8));
        if (i % 5 == 0) memset(bytes, 0xff, size);
        if (i % 5 == 1) zt_random_fill(random, bytes, size);
        if (i % 3 == 0) size = (size_t)zt_random_below(random, size + 1);
        const zl_box box = random_box(random, f, i % 2 == 0, memory);
        const zl_status status = decode_exact(f, bytes, size, &box);
        assert_true(status == ZL_OK || status == ZL_ERR_CORRUPT);
    }
}

static void check_damage(const char *codec, const char *mode, zt_random *random, char *memory) {
    _Alignas(8) char elements[COUNT_MAX * 8], chunk[COUNT_MAX * 8];
    for (size_t type = 0; type < ZL_COUNT_OF(native_types); type++) {
        for (size_t shape = 0; shape < ZL_COUNT_OF(shapes); shape += 2) {
            fixture f;
            zl_sink stored;
            open_fixture(&f, codec, mode, native_types[type], &shapes[shape]);
            make_elements(random, f.codec.in.dtype, elements, f.count);
            encode(&f, elements, &stored);
            decode(&f, &stored, chunk);
            if (f.count <= 200) check_truncated(&f, &stored, chunk);
            check_mutated(&f, random, &stored, memory);
            zl_sink_free(&stored);
            close_fixture(&f);
        }
    }
}

static void test_damage(void **state) {
    (void)state;
    zt_random random = zt_random_seed(6);
    char *memory = malloc(BOX_MEMORY);
    assert_non_null(memory);
    for (size_t mode = 0; mode < ZL_COUNT_OF(modes); mode++)
        check_damage("zfp", modes[mode], &random, memory);
    for (size_t i = 0; i < ZL_COUNT_OF(zfpy_modes); i++) {
        if (zfpy_modes[i]) check_damage("numcodecs.zfpy", zfpy_modes[i], &random, memory);
    }
    free(memory);
}

/* A stream of another rate is not decoded to something else. */
static void test_wrong_rate(void **state) {
    (void)state;
    const struct field_shape shape = {2, {9, 6}};
    fixture f, other;
    zl_sink stored;
    _Alignas(8) float elements[54] = {1, 2, 3};
    open_fixture(&f, "zfp", RATE("8"), "\"float32\"", &shape);
    open_fixture(&other, "zfp", RATE("32"), "\"float32\"", &shape);
    encode(&f, elements, &stored);
    const zl_box box = zt_codec_box(&other.codec.shape, 4, elements);
    zt_assert_fails(try_decode(&other, stored.data, stored.size, &box), &other.codec.err, ZL_ERR_CORRUPT,
                    "zfp: 96 bytes are stored, the blocks of the chunk take 384");
    zl_sink_free(&stored);
    close_fixture(&other);
    close_fixture(&f);
}

/* ---- the header of zfpy */

static void test_foreign_header(void **state) {
    (void)state;
    static const struct {
        const char *data_type;
        struct field_shape shape;
    } others[] = {{"\"float64\"", {2, {4, 6}}},
                  {"\"int32\"", {2, {4, 6}}},
                  {"\"float32\"", {2, {6, 4}}},
                  {"\"float32\"", {1, {24}}},
                  {"\"float32\"", {3, {4, 6, 1}}}};
    const struct field_shape shape = {2, {4, 6}};
    fixture f;
    open_fixture(&f, "numcodecs.zfpy", "{\"mode\":4,\"tolerance\":0.5}", "\"float32\"", &shape);
    _Alignas(8) char elements[24 * 8] = {0};
    const zl_box box = zt_codec_box(&f.codec.shape, 4, elements);
    for (size_t i = 0; i < ZL_COUNT_OF(others); i++) {
        fixture other;
        zl_sink stored;
        open_fixture(&other, "numcodecs.zfpy", "{\"mode\":2,\"rate\":8}", others[i].data_type, &others[i].shape);
        encode(&other, elements, &stored);
        zt_assert_fails(try_decode(&f, stored.data, stored.size, &box), &f.codec.err, ZL_ERR_CORRUPT,
                        "numcodecs.zfpy: the header tells of a field of type");
        zl_sink_free(&stored);
        close_fixture(&other);
    }
    /* The header's mode counts. */
    fixture rate;
    zl_sink stored;
    open_fixture(&rate, "numcodecs.zfpy", "{\"mode\":2,\"rate\":20}", "\"float32\"", &shape);
    float numbers[24], expected[24], found[24];
    for (size_t i = 0; i < 24; i++)
        numbers[i] = (float)i;
    encode(&rate, numbers, &stored);
    decode(&rate, &stored, expected);
    decode(&f, &stored, found);
    assert_memory_equal(found, expected, sizeof found);
    /* Settings that no block can be read with: of the 12 bits for the mode, behind 84 others, 0 means 1 bit to a block. */
    stored.data[10] &= 0x0f;
    stored.data[11] = 0;
    const zl_status status = try_decode(&f, stored.data, stored.size, &box);
    assert_int_equal(status, ZL_ERR_CORRUPT);
    assert_non_null(strstr(f.codec.err.message, "header of a chunk"));
    zl_sink_free(&stored);
    close_fixture(&rate);
    close_fixture(&f);
}

/* ---- what is refused */

static const struct refusal {
    const char *json;
    const char *data_type;
    int32_t rank;
    const char *message;
} refusals[] = {
    {"\"zfp\"", "\"int32\"", 1, "mode"},
    {ZFP("{}"), "\"int32\"", 1, "mode"},
    {ZFP("{\"mode\":\"lossless\"}"), "\"int32\"", 1, "mode"},
    {ZFP("{\"mode\":5}"), "\"int32\"", 1, "mode"},
    {ZFP("{\"mode\":\"reversible\",\"rate\":8}"), "\"int32\"", 1, "rate"},
    {ZFP("{\"mode\":\"reversible\",\"write_header\":false}"), "\"int32\"", 1, "write_header"},
    {ZFP("{\"mode\":\"fixed_rate\"}"), "\"int32\"", 1, "rate"},
    {ZFP("{\"mode\":\"fixed_rate\",\"rate\":8,\"precision\":8}"), "\"int32\"", 1, "precision"},
    {ZFP("{\"mode\":\"fixed_rate\",\"rate\":\"8\"}"), "\"int32\"", 1, "rate"},
    {ZFP("{\"mode\":\"fixed_rate\",\"rate\":-1}"), "\"int32\"", 1, "rate must not be negative"},
    {ZFP("{\"mode\":\"fixed_rate\",\"rate\":0}"), "\"int32\"", 1, "zfp: rate 0 is not within 0.125 to 4164.5"},
    {ZFP("{\"mode\":\"fixed_rate\",\"rate\":65.08}"), "\"int32\"", 4, "zfp: rate 65.08 is not within"},
    {ZFP("{\"mode\":\"fixed_accuracy\"}"), "\"float32\"", 1, "tolerance"},
    {ZFP("{\"mode\":\"fixed_accuracy\",\"tolerance\":-0.1}"), "\"float32\"", 1, "tolerance must not be negative"},
    {ZFP("{\"mode\":\"fixed_precision\",\"precision\":-1}"), "\"float32\"", 1, "precision"},
    {ZFP("{\"mode\":\"fixed_precision\",\"precision\":1.5}"), "\"float32\"", 1, "precision"},
    {ZFP("{\"mode\":\"fixed_precision\",\"precision\":4294967296}"), "\"float32\"", 1, "precision is larger than 2^32-1"},
    {ZFP("{\"mode\":\"expert\",\"minbits\":1,\"maxbits\":9,\"maxprec\":9}"), "\"float32\"", 1, "minexp"},
    {ZFP(EXPERT("10", "9", "9", "0")), "\"float32\"", 1, "zfp: minbits (10) is larger than maxbits (9)"},
    {ZFP(EXPERT("1", "8", "9", "0")), "\"float32\"", 1, "zfp: a block has at most 8 bits, its head alone takes 9"},
    {ZFP(EXPERT("1", "11", "9", "0")), "\"float64\"", 1, "its head alone takes 12"},
    {ZFP(EXPERT("1", "14", "9", "-1075")), "\"float32\"", 1, "its head alone takes 15"},
    {ZFP(EXPERT("1", "18", "9", "-1075")), "\"float64\"", 1, "its head alone takes 19"},
    {ZFP(EXPERT("0", "0", "9", "0")), "\"int32\"", 1, "its head alone takes 1"},
    {ZFP(EXPERT("4000000000", "4000000000", "9", "0")), "\"int32\"", 1, "no block needs more than 16658"},
    {ZFP(EXPERT("1", "100", "0", "0")), "\"int32\"", 1, "zfp: maxprec is 0, it can be 1 to 64"},
    {ZFP(EXPERT("1", "100", "65", "0")), "\"int32\"", 1, "zfp: maxprec is 65"},
    {ZFP(EXPERT("1", "100", "8", "3000000000")), "\"int32\"", 1, "minexp does not fit 32 bits"},
    {ZFP(REVERSIBLE), "\"bool\"", 1, "zfp: not defined for data type \"bool\""},
    {ZFP(REVERSIBLE), "\"complex64\"", 1, "zfp: not defined for data type \"complex64\""},
    {ZFP(REVERSIBLE), "\"float8_e4m3\"", 1, "zfp: not defined"},
    {ZFP(REVERSIBLE), "\"string\"", 1, "zfp: not defined"},
    {ZFPY("{\"mode\":1}"), "\"float32\"", 1, "mode 1 is not"},
    {ZFPY("{\"mode\":4,\"tolerance\":0.1,\"minexp\":1}"), "\"float32\"", 1, "minexp"},
    {ZFPY("{\"mode\":2,\"rate\":5000}"), "\"float32\"", 1, "numcodecs.zfpy: rate 5000 is not within"},
    {ZFPY("{\"mode\":4}"), "\"int16\"", 1, "numcodecs.zfpy: not defined"},
    {ZFPY("{\"mode\":4}"), "\"uint32\"", 1, "numcodecs.zfpy: not defined"},
    {ZFPY("{\"mode\":4}"), "\"float32\"", 5, "numcodecs.zfpy: the chunk has 5 dimensions"},
};

static void test_refusals(void **state) {
    (void)state;
    static const int64_t dim[] = {5, 2, 2, 2, 2};
    for (size_t i = 0; i < ZL_COUNT_OF(refusals); i++) {
        const struct refusal *it = &refusals[i];
        zt_memory memory;
        zt_codec codec;
        const zl_allocator allocator = zt_allocator(&memory, 0);
        zt_assert_ok(zt_codec_init(&codec, &allocator), &codec.err);
        zt_assert_fails(zt_codec_open(&codec, it->json, it->data_type, NULL, it->rank, dim), &codec.err, ZL_ERR_METADATA,
                        it->message);
        zt_codec_close(&codec);
        zt_assert_no_leak(&memory);
    }
}

/* libzfp ignores the tolerance of integers: an array with one is read, but not made. */
static void test_accuracy_of_integers(void **state) {
    (void)state;
    const struct field_shape shape = {1, {4}};
    static const char json[] = ZFP("{\"mode\":\"fixed_accuracy\",\"tolerance\":2}");
    for (int creating = 0; creating < 2; creating++) {
        for (int floats = 0; floats < 2; floats++) {
            fixture f;
            const zl_allocator allocator = zt_allocator(&f.memory, 0);
            zt_assert_ok(zt_codec_init(&f.codec, &allocator), &f.codec.err);
            f.codec.env.creating = creating;
            const zl_status status =
                zt_codec_open(&f.codec, json, floats ? "\"float32\"" : "\"int32\"", NULL, shape.rank, shape.dim);
            if (creating && !floats)
                zt_assert_fails(status, &f.codec.err, ZL_ERR_METADATA, "does nothing for integers such as \"int32\"");
            else
                zt_assert_ok(status, &f.codec.err);
            close_fixture(&f);
        }
    }
}

static void test_more_dimensions(void **state) {
    (void)state;
    static const struct {
        int32_t rank;
        int64_t dim[8];
        const char *reshape;
    } rows[] = {
        {5, {2, 3, 4, 5, 6}, "[[0, 1], [2], [3], [4]]"},
        {7, {2, 3, 4, 5, 6, 7, 8}, "[[0, 1, 2, 3], [4], [5], [6]]"},
        {6, {4, 1, 3, 1, 2, 1}, "[[0], [1, 2], [3, 4, 5]]"},
        {5, {1, 1, 720, 1, 1440}, "[[0, 1, 2], [3, 4]]"},
        {5, {1, 1, 1, 1, 1}, "[[0, 1, 2, 3, 4]]"},
        {7, {1, 2, 3, 1, 4, 5, 6}, "[[0, 1, 2], [3, 4], [5], [6]]"},
        {6, {2, 3, 4, 5, 6, 1}, "[[0, 1], [2], [3], [4, 5]]"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(rows); i++) {
        zt_memory memory;
        zt_codec codec;
        char expected[256];
        const zl_allocator allocator = zt_allocator(&memory, 0);
        snprintf(expected, sizeof expected, "{\"name\": \"reshape\", \"configuration\": {\"shape\": %s}}", rows[i].reshape);
        zt_assert_ok(zt_codec_init(&codec, &allocator), &codec.err);
        zt_assert_fails(zt_codec_open(&codec, ZFP(REVERSIBLE), "\"float32\"", NULL, rows[i].rank, rows[i].dim), &codec.err,
                        ZL_ERR_METADATA, expected);
        zt_codec_close(&codec);
        zt_assert_no_leak(&memory);
    }
}

/* ---- elements that cannot be encoded */

static const struct bad_element {
    const char *data_type;
    uint64_t element;
    bool reversible; /* keeps it */
    const char *message;
} bad_elements[] = {
    {"\"float32\"", 0x7fc00001, true, "is NaN or infinite"},
    {"\"float32\"", 0xff800000, true, "is NaN or infinite"},
    {"\"float64\"", UINT64_C(0x7ff8000000000001), true, "is NaN or infinite"},
    {"\"float64\"", UINT64_C(0x7ff0000000000000), true, "is NaN or infinite"},
    {"\"float16\"", 0x7d01, true, "is NaN or infinite"},
    {"\"bfloat16\"", 0xff81, true, "is NaN or infinite"},
    {TIME, UINT64_C(1) << 63, true, "is NaT"},
    {"\"uint32\"", UINT64_C(1) << 31, false, "is 2^31 or larger"},
    {"\"uint64\"", UINT64_C(1) << 63, false, "is 2^63 or larger"},
    {"\"float32\"", 0x80000000, true, NULL}, /* -0: lossy modes make it 0 */
    {"\"int64\"", UINT64_C(1) << 63, true, NULL},
};

static void test_bad_elements(void **state) {
    (void)state;
    const struct field_shape shape = {2, {6, 9}};
    for (size_t i = 0; i < ZL_COUNT_OF(bad_elements); i++) {
        const struct bad_element *it = &bad_elements[i];
        for (size_t mode = 0; mode < ZL_COUNT_OF(modes); mode++) {
            fixture f;
            open_fixture(&f, "zfp", modes[mode], it->data_type, &shape);
            _Alignas(8) char elements[54 * 8] = {0}, back[54 * 8];
            zl_store_unit(elements + (5 * 9 + 7) * f.size, f.size, it->element);
            zl_box box = zt_codec_box(&f.codec.shape, f.size, elements);
            zl_sink stored;
            const bool lossless = mode == 0 || mode == 8;
            if (it->message && !(lossless && it->reversible)) {
                char text[100];
                snprintf(text, sizeof text, "zfp: element (5, 7) of the chunk %s", it->message);
                zt_assert_fails(try_encode(&f, &box, &stored), &f.codec.err, ZL_ERR_INVALID_ARGUMENT, text);
                /* As padding it may be anything; the elements are what they are without it. */
                box.edge[1] = 7;
                zt_assert_ok(try_encode(&f, &box, &stored), &f.codec.err);
                decode(&f, &stored, back);
                for (size_t k = 0; k < 54; k++)
                    assert_true(k % 9 >= 7 || zl_load_unit(back + k * f.size, f.size) == 0);
            } else {
                encode(&f, elements, &stored);
                decode(&f, &stored, back);
                if (lossless) assert_memory_equal(back, elements, 54 * f.size);
            }
            zl_sink_free(&stored);
            close_fixture(&f);
        }
    }
}

/* A chunk of which whole blocks lie beyond the array's edge, with a fill value that lossy modes do not know. */
static void test_padding(void **state) {
    (void)state;
    const struct field_shape shape = {3, {8, 8, 12}};
    fixture f;
    open_fixture(&f, "zfp", "{\"mode\":\"fixed_accuracy\",\"tolerance\":0.001}", "\"float32\"", &shape);
    static float elements[768], back[768];
    zl_box box = zt_codec_box(&f.codec.shape, 4, elements);
    box.edge[0] = 3, box.edge[1] = 8, box.edge[2] = 6;
    for (size_t i = 0; i < 768; i++)
        elements[i] = i / 96 < 3 && i % 12 < 6 ? (float)sin((double)i) : (float)NAN;
    zl_sink stored;
    zt_assert_ok(try_encode(&f, &box, &stored), &f.codec.err);
    decode(&f, &stored, back);
    for (size_t i = 0; i < 768; i++) {
        assert_true(isfinite(back[i]));
        assert_true(isnan(elements[i]) || fabsf(back[i] - elements[i]) <= 0.001f);
    }
    zl_sink_free(&stored);
    elements[2 * 96 + 3 * 12 + 5] = (float)NAN;
    zt_assert_fails(try_encode(&f, &box, &stored), &f.codec.err, ZL_ERR_INVALID_ARGUMENT, "element (2, 3, 5) of the chunk");
    close_fixture(&f);
}

/* ---- metadata and memory */

static void test_emit(void **state) {
    (void)state;
    static const char *const codecs[][2] = {
        {ZFP(REVERSIBLE), REVERSIBLE},
        {ZFP("{\"mode\":\"fixed_rate\",\"rate\":8}"), "{\"mode\":\"fixed_rate\",\"rate\":8.0}"},
        {ZFP("{\"mode\":\"fixed_accuracy\",\"tolerance\":0.05}"), "{\"mode\":\"fixed_accuracy\",\"tolerance\":0.05}"},
        {ZFP("{\"mode\":\"fixed_precision\",\"precision\":70}"), "{\"mode\":\"fixed_precision\",\"precision\":70}"},
        {ZFP(EXPERT("1", "100", "20", "-5")), EXPERT("1", "100", "20", "-5")},
        {ZFPY("{\"mode\":2,\"rate\":8}"), "{\"mode\":2,\"tolerance\":-1.0,\"rate\":8.0,\"precision\":-1}"},
    };
    const struct field_shape shape = {1, {4}};
    for (size_t i = 0; i < ZL_COUNT_OF(codecs); i++) {
        fixture f;
        zl_json_writer writer;
        zt_assert_ok(try_open(&f, codecs[i][0], "\"float32\"", &shape), &f.codec.err);
        zl_json_writer_init(&writer, &f.codec.allocator, 0);
        f.codec.cls->emit(f.codec.self, &writer);
        zt_assert_ok(zl_json_writer_finish(&writer, &f.codec.err), &f.codec.err);
        assert_string_equal((const char *)writer.sink.data, codecs[i][1]);
        zl_json_writer_clear(&writer);
        close_fixture(&f);
    }
}

static zl_status round_trip(const zl_allocator *allocator, void *arg) {
    static float elements[5 * 6 * 3];
    const struct field_shape shape = {3, {5, 6, 3}};
    zt_codec codec;
    zl_sink out = {.max = 1 << 20, .allocator = allocator};
    zl_status status = zt_codec_init(&codec, allocator);
    if (status == ZL_OK) status = zt_codec_open(&codec, arg, "\"float32\"", NULL, shape.rank, shape.dim);
    const zl_box box = zt_codec_box(&codec.shape, 4, elements);
    if (status == ZL_OK) status = codec.cls->ab->encode(codec.bound, &box, &out, &codec.call);
    if (status == ZL_OK) {
        status = codec.cls->ab->decode(codec.bound, (zl_span){out.data, out.size}, &box, &codec.call);
    }
    zl_sink_free(&out);
    zt_codec_close(&codec);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    static char codecs[][100] = {ZFP(REVERSIBLE), ZFP(RATE("8")), ZFPY("{\"mode\":2,\"rate\":8}")};
    for (size_t i = 0; i < ZL_COUNT_OF(codecs); i++)
        zt_run_out_of_memory(round_trip, codecs[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_libzfp),
        cmocka_unit_test(test_zfpy_same_as_libzfp),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_small_floats),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_demotion_clamps),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_strided_source),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_wrong_rate),
        cmocka_unit_test(test_foreign_header),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_accuracy_of_integers),
        cmocka_unit_test(test_more_dimensions),
        cmocka_unit_test(test_bad_elements),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_emit),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    return 0; /* libzfp is not there */
}
#endif
