/* SPDX-License-Identifier: MIT */
/* zfp and numcodecs.zfpy: streams that are damaged in every way that can be thought of, and what is refused. */
#include "zt_zfp.h"

#if ZL_HAVE_ZFP
#include "dtype/family.h"

/* Decodes bytes that are in memory of exactly their size. */
static zl_status decode_exact(zt_zfp *f, const uint8_t *bytes, size_t size, const zl_box *box) {
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    const zl_status status = zt_zfp_try_decode(f, exact, size, box);
    free(exact);
    return status;
}

/* Everything shorter is refused, but for the zeros that fill the last word, and so is what is a word longer. */
static void check_truncated(zt_zfp *f, const zl_sink *stored, const char *chunk) {
    _Alignas(8) char back[ZT_ZFP_COUNT_MAX * 8];
    const zl_box box = zt_codec_box(&f->codec.shape, f->size, back);
    bool refused = false;
    for (size_t size = stored->size + 8; size-- > 0;) {
        uint8_t bytes[ZT_ZFP_COUNT_MAX * 9 + 64] = {0};
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

static void check_mutated(zt_zfp *f, zt_random *random, const zl_sink *stored, char *memory) {
    for (int i = 0; i < 60; i++) {
        uint8_t bytes[ZT_ZFP_COUNT_MAX * 9 + 64];
        size_t size = stored->size;
        memcpy(bytes, stored->data, size);
        for (uint64_t k = zt_random_below(random, 6); k-- > 0;)
            bytes[zt_random_below(random, size)] ^= (uint8_t)(1u << zt_random_below(random, 8));
        if (i % 5 == 0) memset(bytes, 0xff, size);
        if (i % 5 == 1) zt_random_fill(random, bytes, size);
        if (i % 3 == 0) size = (size_t)zt_random_below(random, size + 1);
        const zl_box box = zt_zfp_random_box(random, f, i % 2 == 0, memory);
        const zl_status status = decode_exact(f, bytes, size, &box);
        assert_true(status == ZL_OK || status == ZL_ERR_CORRUPT);
    }
}

static void check_damage(const char *codec, const char *mode, zt_random *random, char *memory) {
    _Alignas(8) char elements[ZT_ZFP_COUNT_MAX * 8], chunk[ZT_ZFP_COUNT_MAX * 8];
    for (size_t type = 0; type < ZT_ZFP_NATIVE_TYPES; type++) {
        for (size_t shape = 0; shape < ZT_ZFP_SHAPES; shape += 2) {
            zt_zfp f;
            zl_sink stored;
            zt_zfp_open(&f, codec, mode, zt_zfp_native_types[type], &zt_zfp_shapes[shape]);
            zt_zfp_make(random, f.codec.in.dtype, elements, f.count);
            zt_zfp_encode(&f, elements, &stored);
            zt_zfp_decode(&f, &stored, chunk);
            if (f.count <= 200) check_truncated(&f, &stored, chunk);
            check_mutated(&f, random, &stored, memory);
            zl_sink_free(&stored);
            zt_zfp_close(&f);
        }
    }
}

static void test_damage(void **state) {
    (void)state;
    zt_random random = zt_random_seed(6);
    char *memory = malloc(ZT_ZFP_BOX_MEMORY);
    assert_non_null(memory);
    for (size_t mode = 0; mode < ZT_ZFP_MODES; mode++)
        check_damage("zfp", zt_zfp_modes[mode], &random, memory);
    for (size_t i = 0; i < ZT_ZFP_MODES; i++) {
        if (zt_zfpy_modes[i]) check_damage("numcodecs.zfpy", zt_zfpy_modes[i], &random, memory);
    }
    free(memory);
}

/* A stream of another rate is not decoded to something else. */
static void test_wrong_rate(void **state) {
    (void)state;
    const zt_zfp_shape shape = {2, {9, 6}};
    zt_zfp f, other;
    zl_sink stored;
    _Alignas(8) float elements[54] = {1, 2, 3};
    zt_zfp_open(&f, "zfp", RATE("8"), "\"float32\"", &shape);
    zt_zfp_open(&other, "zfp", RATE("32"), "\"float32\"", &shape);
    zt_zfp_encode(&f, elements, &stored);
    const zl_box box = zt_codec_box(&other.codec.shape, 4, elements);
    zt_assert_fails(zt_zfp_try_decode(&other, stored.data, stored.size, &box), &other.codec.err, ZL_ERR_CORRUPT,
                    "zfp: 96 bytes are stored, the blocks of the chunk take 384");
    zl_sink_free(&stored);
    zt_zfp_close(&other);
    zt_zfp_close(&f);
}

/* ---- the header of zfpy */

static void test_foreign_header(void **state) {
    (void)state;
    static const struct {
        const char *data_type;
        zt_zfp_shape shape;
    } others[] = {{"\"float64\"", {2, {4, 6}}},
                  {"\"int32\"", {2, {4, 6}}},
                  {"\"float32\"", {2, {6, 4}}},
                  {"\"float32\"", {1, {24}}},
                  {"\"float32\"", {3, {4, 6, 1}}}};
    const zt_zfp_shape shape = {2, {4, 6}};
    zt_zfp f;
    zt_zfp_open(&f, "numcodecs.zfpy", "{\"mode\":4,\"tolerance\":0.5}", "\"float32\"", &shape);
    _Alignas(8) char elements[24 * 8] = {0};
    const zl_box box = zt_codec_box(&f.codec.shape, 4, elements);
    for (size_t i = 0; i < ZL_COUNT_OF(others); i++) {
        zt_zfp other;
        zl_sink stored;
        zt_zfp_open(&other, "numcodecs.zfpy", "{\"mode\":2,\"rate\":8}", others[i].data_type, &others[i].shape);
        zt_zfp_encode(&other, elements, &stored);
        zt_assert_fails(zt_zfp_try_decode(&f, stored.data, stored.size, &box), &f.codec.err, ZL_ERR_CORRUPT,
                        "numcodecs.zfpy: the header tells of a field of type");
        zl_sink_free(&stored);
        zt_zfp_close(&other);
    }
    /* The header's mode counts. */
    zt_zfp rate;
    zl_sink stored;
    zt_zfp_open(&rate, "numcodecs.zfpy", "{\"mode\":2,\"rate\":20}", "\"float32\"", &shape);
    float numbers[24], expected[24], found[24];
    for (size_t i = 0; i < 24; i++)
        numbers[i] = (float)i;
    zt_zfp_encode(&rate, numbers, &stored);
    zt_zfp_decode(&rate, &stored, expected);
    zt_zfp_decode(&f, &stored, found);
    assert_memory_equal(found, expected, sizeof found);
    /* Settings that no block can be read with: of the 12 bits for the mode, behind 84 others, 0 means 1 bit to a block. */
    stored.data[10] &= 0x0f;
    stored.data[11] = 0;
    const zl_status status = zt_zfp_try_decode(&f, stored.data, stored.size, &box);
    assert_int_equal(status, ZL_ERR_CORRUPT);
    assert_non_null(strstr(f.codec.err.message, "header of a chunk"));
    zl_sink_free(&stored);
    zt_zfp_close(&rate);
    zt_zfp_close(&f);
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
        zt_assert_codec_refused(it->json, it->data_type, it->rank, dim, ZL_ERR_METADATA, it->message);
    }
}

/* libzfp ignores the tolerance of integers: an array with one is read, but not made. */
static void test_accuracy_of_integers(void **state) {
    (void)state;
    const zt_zfp_shape shape = {1, {4}};
    static const char json[] = ZFP("{\"mode\":\"fixed_accuracy\",\"tolerance\":2}");
    for (int creating = 0; creating < 2; creating++) {
        for (int floats = 0; floats < 2; floats++) {
            zt_zfp f;
            zt_assert_ok(zt_codec_init(&f.codec, NULL), &f.codec.err);
            f.codec.env.creating = creating;
            const zl_status status =
                zt_codec_open(&f.codec, json, floats ? "\"float32\"" : "\"int32\"", NULL, shape.rank, shape.dim);
            if (creating && !floats)
                zt_assert_fails(status, &f.codec.err, ZL_ERR_METADATA, "does nothing for integers such as \"int32\"");
            else
                zt_assert_ok(status, &f.codec.err);
            zt_zfp_close(&f);
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
        char expected[256];
        snprintf(expected, sizeof expected, "{\"name\": \"reshape\", \"configuration\": {\"shape\": %s}}", rows[i].reshape);
        zt_assert_codec_refused(ZFP(REVERSIBLE), "\"float32\"", rows[i].rank, rows[i].dim, ZL_ERR_METADATA, expected);
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
    const zt_zfp_shape shape = {2, {6, 9}};
    for (size_t i = 0; i < ZL_COUNT_OF(bad_elements); i++) {
        const struct bad_element *it = &bad_elements[i];
        for (size_t mode = 0; mode < ZT_ZFP_MODES; mode++) {
            zt_zfp f;
            zt_zfp_open(&f, "zfp", zt_zfp_modes[mode], it->data_type, &shape);
            _Alignas(8) char elements[54 * 8] = {0}, back[54 * 8];
            zl_store_unit(elements + (5 * 9 + 7) * f.size, f.size, it->element);
            zl_box box = zt_codec_box(&f.codec.shape, f.size, elements);
            zl_sink stored;
            const bool lossless = mode == 0 || mode == 8;
            if (it->message && !(lossless && it->reversible)) {
                char text[100];
                snprintf(text, sizeof text, "zfp: element (5, 7) of the chunk %s", it->message);
                zt_assert_fails(zt_codec_encode(&f.codec, &box, &stored), &f.codec.err, ZL_ERR_INVALID_ARGUMENT, text);
                /* As padding it may be anything; the elements are what they are without it. */
                box.edge[1] = 7;
                zt_assert_ok(zt_codec_encode(&f.codec, &box, &stored), &f.codec.err);
                zt_zfp_decode(&f, &stored, back);
                for (size_t k = 0; k < 54; k++)
                    assert_true(k % 9 >= 7 || zl_load_unit(back + k * f.size, f.size) == 0);
            } else {
                zt_zfp_encode(&f, elements, &stored);
                zt_zfp_decode(&f, &stored, back);
                if (lossless) assert_memory_equal(back, elements, 54 * f.size);
            }
            zl_sink_free(&stored);
            zt_zfp_close(&f);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_wrong_rate),
        cmocka_unit_test(test_foreign_header),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_accuracy_of_integers),
        cmocka_unit_test(test_more_dimensions),
        cmocka_unit_test(test_bad_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    return 0; /* libzfp is not there */
}
#endif
