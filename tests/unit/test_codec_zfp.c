/* SPDX-License-Identifier: MIT */
/* zfp and numcodecs.zfpy: the same streams and values as libzfp's own calls for whole arrays, and all data types. */
#include "zt_zfp.h"

#if ZL_HAVE_ZFP
#include <math.h>

#include <zfp.h>

#include "codec/zfp_values.h"
#include "dtype/family.h"
#include "dtype/minifloat.h"

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

/* Our stream is libzfp's but for zeros at its end, and so are the values that come out of it. */
static void check_against_libzfp(zt_zfp *f, size_t mode, zt_random *random) {
    _Alignas(8) char elements[ZT_ZFP_COUNT_MAX * 8];
    zt_zfp_make(random, f->codec.in.dtype, elements, f->count);
    const bool header = strcmp(f->codec.cls->name, "numcodecs.zfpy") == 0;
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
    zt_zfp_encode(f, elements, &ours);
    assert_int_equal(ours.size, (size + 7) / 8 * 8);
    assert_memory_equal(ours.data, theirs, ours.size);
    zfp_stream_rewind(stream);
    if (header) assert_true(zfp_read_header(stream, field, ZFP_HEADER_FULL) > 0);
    zfp_field_set_pointer(field, expected);
    assert_true(zfp_decompress(stream, field) > 0);
    zt_zfp_decode(f, &ours, found);
    assert_memory_equal(found, expected, f->count * f->size);
    zl_sink_free(&ours);
    stream_close(bits);
    zfp_stream_close(stream);
    zfp_field_free(field);
    free(theirs);
    free(expected);
    free(found);
}

static void test_same_as_libzfp(void **state) {
    (void)state;
    zt_zfp_each("zfp", zt_zfp_native_types, ZT_ZFP_NATIVE_TYPES, 1, check_against_libzfp);
}

static void test_zfpy_same_as_libzfp(void **state) {
    (void)state;
    zt_zfp_each("numcodecs.zfpy", zt_zfp_native_types, ZT_ZFP_NATIVE_TYPES, 2, check_against_libzfp);
}

/* ---- all types */

/* The most that a value may be off: nothing in reversible mode, the tolerance, or a share of the range that is generous for
 * all lossy modes here. */
static double error_bound(const zl_dtype *dtype, size_t mode) {
    if (mode == 0 || mode == 8) return 0;
    const double rounding = zt_zfp_is_float(dtype) ? (dtype->size == 2 ? 0.5 : 0) : 1;
    if (mode == 5 && zt_zfp_is_float(dtype)) return 0.01 + rounding;
    const unsigned bits = zt_zfp_range_bits(dtype);
    const double share = mode == 6 || mode == 7 ? 1 : 0.08; /* little is left to blocks of four dimensions */
    return rounding + share * (zt_zfp_is_float(dtype) ? 200 : ldexp(1, (int)bits));
}

static void check_round_trip(zt_zfp *f, size_t mode, zt_random *random) {
    const zl_dtype *dtype = f->codec.in.dtype;
    _Alignas(8) char elements[ZT_ZFP_COUNT_MAX * 8], back[ZT_ZFP_COUNT_MAX * 8];
    zl_sink stored;
    zt_zfp_make(random, dtype, elements, f->count);
    zt_zfp_encode(f, elements, &stored);
    assert_int_equal(stored.size % 8, 0);
    zt_zfp_decode(f, &stored, back);
    const double bound = error_bound(dtype, mode);
    if (bound == 0) assert_memory_equal(back, elements, f->count * f->size);
    for (size_t i = 0; i < f->count; i++) {
        const double a = zt_zfp_number(dtype, elements, i), b = zt_zfp_number(dtype, back, i);
        if (fabs(a - b) <= bound) continue;
        fail_msg("%s, %s, rank %d: element %zu is %g, was %g", dtype->name, zt_zfp_modes[mode], (int)f->codec.shape.rank, i,
                 b, a);
    }
    zl_sink_free(&stored);
}

static void test_types(void **state) {
    (void)state;
    zt_zfp_each("zfp", zt_zfp_types, ZT_ZFP_TYPES, 3, check_round_trip);
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
    const zt_zfp_shape shape = {2, {10, 13}};
    for (size_t type = 0; type < ZT_ZFP_NATIVE_TYPES; type++) {
        zt_zfp f;
        zt_zfp_open(&f, "zfp", EXPERT("900", "16658", "64", "-1075"), zt_zfp_native_types[type], &shape);
        for (size_t first = 0; first <= 130; first += 26) {
            _Alignas(8) char elements[130 * 8] = {0}, back[130 * 8];
            if (first < 130) memset(elements + first * f.size, 0x31, 13 * f.size);
            zl_sink stored;
            zt_zfp_encode(&f, elements, &stored);
            zt_zfp_decode(&f, &stored, back);
            assert_memory_equal(back, elements, 130 * f.size);
            zl_sink_free(&stored);
        }
        zt_zfp_close(&f);
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
    const zt_zfp_shape shape = {1, {4}};
    for (size_t i = 0; i < ZL_COUNT_OF(rows); i++) {
        zt_zfp native, f;
        zl_sink stored;
        zt_zfp_open(&native, "zfp", REVERSIBLE, "\"int32\"", &shape);
        zt_zfp_encode(&native, extremes, &stored);
        zt_zfp_open(&f, "zfp", REVERSIBLE, rows[i].data_type, &shape);
        _Alignas(8) char back[4 * 4];
        zt_zfp_decode(&f, &stored, back);
        for (size_t k = 0; k < 4; k++) {
            const double expected = (double)(k % 2 ? rows[i].low : rows[i].high);
            assert_true(zt_zfp_number(f.codec.in.dtype, back, k) == expected);
        }
        zl_sink_free(&stored);
        zt_zfp_close(&f);
        zt_zfp_close(&native);
    }
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
    const zt_zfp_shape shape = {1, {4}};
    for (size_t i = 0; i < ZL_COUNT_OF(codecs); i++) {
        zt_zfp f;
        zt_assert_ok(zt_zfp_try_open(&f, codecs[i][0], "\"float32\"", &shape), &f.codec.err);
        zt_check_emit(f.codec.cls->emit, f.codec.self, codecs[i][1]);
        zt_zfp_close(&f);
    }
}

static zl_status round_trip(const zl_allocator *allocator, void *arg) {
    static float elements[5 * 6 * 3];
    const zt_zfp_shape shape = {3, {5, 6, 3}};
    zt_codec codec;
    zl_sink out = {0};
    zl_status status = zt_codec_init(&codec, allocator);
    if (status == ZL_OK) status = zt_codec_open(&codec, arg, "\"float32\"", NULL, shape.rank, shape.dim);
    const zl_box box = zt_codec_box(&codec.shape, 4, elements);
    if (status == ZL_OK) status = zt_codec_encode(&codec, &box, &out);
    if (status == ZL_OK) status = zt_codec_decode(&codec, out.data, out.size, &box);
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
        cmocka_unit_test(test_same_as_libzfp), cmocka_unit_test(test_zfpy_same_as_libzfp),
        cmocka_unit_test(test_types),          cmocka_unit_test(test_small_floats),
        cmocka_unit_test(test_zeros),          cmocka_unit_test(test_demotion_clamps),
        cmocka_unit_test(test_emit),           cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    return 0; /* libzfp is not there */
}
#endif
