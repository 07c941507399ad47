/* SPDX-License-Identifier: MIT */
/*
 * Every kernel at every level this CPU has, against definitions spelt out byte by byte. Memory lies between two pages that
 * may not be touched, once at the front and once at the back of what is between.
 *
 * With --bench: GB/s of each level in the first level cache. Not run by ctest.
 */
#include "simd/kernels.h"

#include <time.h>

#include "zt_kernels.h"

/* ---- levels */

static void for_each_level(void (*check)(const zl_kernels *)) {
    zl_kernels levels[ZT_LEVELS_MAX];
    unsigned names[ZT_LEVELS_MAX];
    const size_t count = zt_kernel_levels(levels, names);
    for (size_t i = 0; i < count; i++) {
        check(&levels[i]);
    }
}

static void test_select(void **state) {
    (void)state;
    const unsigned have = zl_cpu_flags();
    zl_kernels best;
    zl_kernels_select(have, &best);
    assert_memory_equal(&best, zl_kernels_get(), sizeof best);
    assert_ptr_equal(zl_kernels_get(), zl_kernels_get());
#if defined(__x86_64__)
    assert_true(have & ZL_CPU_SSE2);
    /* A level needs all levels below it. */
    zl_kernels scalar, avx2_alone;
    zl_kernels_select(0, &scalar);
    zl_kernels_select(ZL_CPU_AVX2, &avx2_alone);
    assert_memory_equal(&scalar, &avx2_alone, sizeof scalar);
#endif
}

static const size_t widths[] = {1, 2, 4, 8, 16};

/* ---- swap */

static void check_swap(const zl_kernels *kernels) {
    zt_guarded src_memory = zt_guarded_new(4096), dst_memory = zt_guarded_new(4096);
    zt_random random = zt_random_seed(1);
    char expected[8 * 150];
    for (size_t w = 0; w < 4; w++) {
        const size_t width = widths[w];
        for (size_t count = 0; count < 150; count++) {
            const size_t size = width * count;
            char *src = zt_guarded_at(&src_memory, size, (int)count),
                 *dst = zt_guarded_at(&dst_memory, size, (int)(count / 2));
            zt_random_fill(&random, src, size);
            for (size_t i = 0; i < size; i++) {
                expected[i] = src[i / width * width + (width - 1 - i % width)];
            }
            kernels->swap(dst, src, width, count);
            if (count != 0) assert_memory_equal(dst, expected, size);
            kernels->swap(src, src, width, count);
            if (count != 0) assert_memory_equal(src, expected, size);
        }
    }
    zt_guarded_free(&src_memory);
    zt_guarded_free(&dst_memory);
}

static void test_swap(void **state) {
    (void)state;
    for_each_level(check_swap);
}

/* ---- transpose */

typedef struct tile_case {
    size_t width, rows, columns;
    int64_t src_row, dst_column;
} tile_case;

/* Where element (0, 0) is when steps may be negative and the lowest address is `low`. */
static char *first_element(char *low, int64_t step, size_t count) {
    return step < 0 ? low - step * (int64_t)(count - 1) : low;
}

static void check_tile(const zl_kernels *kernels, const tile_case *t, const zt_guarded *src_memory,
                       const zt_guarded *dst_memory, char *expected, int place) {
    const size_t src_size = (size_t)llabs(t->src_row) * (t->rows - 1) + t->columns * t->width;
    const size_t dst_size = (size_t)llabs(t->dst_column) * (t->columns - 1) + t->rows * t->width;
    char *src_low = zt_guarded_at(src_memory, src_size, place), *dst_low = zt_guarded_at(dst_memory, dst_size, place / 2);
    char *src = first_element(src_low, t->src_row, t->rows), *dst = first_element(dst_low, t->dst_column, t->columns);
    memcpy(expected, dst_low, dst_size);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            memcpy(expected + (dst - dst_low) + r * t->width + (int64_t)c * t->dst_column,
                   src + (int64_t)r * t->src_row + c * t->width, t->width);
        }
    }
    kernels->transpose(dst, t->dst_column, src, t->src_row, t->width, t->rows, t->columns);
    assert_memory_equal(dst_low, expected, dst_size);
}

static void check_transpose(const zl_kernels *kernels) {
    static const size_t extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 33, 49, 65};
    enum { LARGEST = 65 * (65 * 16 + 40) };
    zt_guarded src_memory = zt_guarded_new(LARGEST), dst_memory = zt_guarded_new(LARGEST);
    char *expected = malloc(LARGEST);
    assert_non_null(expected);
    zt_random random = zt_random_seed(2);
    zt_random_fill(&random, src_memory.begin, src_memory.size);
    zt_random_fill(&random, dst_memory.begin, dst_memory.size);
    for (size_t w = 0; w < ZL_COUNT_OF(widths); w++) {
        for (size_t i = 0; i < ZL_COUNT_OF(extents) * ZL_COUNT_OF(extents); i++) {
            tile_case t = {.width = widths[w],
                           .rows = extents[i % ZL_COUNT_OF(extents)],
                           .columns = extents[i / ZL_COUNT_OF(extents)]};
            t.src_row = (int64_t)(t.columns * t.width) + zt_random_between(&random, 0, 40) * (int64_t)(i % 2);
            t.dst_column = (int64_t)(t.rows * t.width) + zt_random_between(&random, 0, 40) * (int64_t)(i / 2 % 2);
            if (zt_random_below(&random, 3) == 0) t.src_row = -t.src_row;
            if (zt_random_below(&random, 3) == 0) t.dst_column = -t.dst_column;
            check_tile(kernels, &t, &src_memory, &dst_memory, expected, (int)zt_random_below(&random, 4));
        }
        kernels->transpose(NULL, 8, NULL, 8, widths[w], 0, 0);
    }
    free(expected);
    zt_guarded_free(&src_memory);
    zt_guarded_free(&dst_memory);
}

static void test_transpose(void **state) {
    (void)state;
    for_each_level(check_transpose);
}

/* ---- fill and all_equal */

static void check_fill(const zl_kernels *kernels) {
    static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 12, 13, 16, 17, 24, 32, 100, 5000};
    static const size_t counts[] = {0, 1, 2, 3, 7, 15, 16, 17, 64, 333, 1001};
    zt_guarded memory = zt_guarded_new(5000 * 1001);
    zt_random random = zt_random_seed(3);
    char element[5000];
    for (size_t i = 0; i < ZL_COUNT_OF(sizes) * ZL_COUNT_OF(counts); i++) {
        const size_t size = sizes[i % ZL_COUNT_OF(sizes)], count = counts[i / ZL_COUNT_OF(sizes)];
        zt_random_fill(&random, element, size);
        if (i % 4 == 0) memset(element, 7, size);
        char *data = zt_guarded_at(&memory, size * count, (int)(i / 3));
        kernels->fill(data, element, size, count);
        for (size_t k = 0; k < count; k++) {
            if (memcmp(data + k * size, element, size) != 0) fail_msg("size %zu, element %zu of %zu", size, k, count);
        }
        assert_true(kernels->all_equal(data, element, size, count));
        for (int flips = 0; flips < 20 && count > 0; flips++) {
            char *byte = data + zt_random_below(&random, size * count);
            *byte = (char)(*byte ^ 1 << zt_random_below(&random, 8));
            assert_false(kernels->all_equal(data, element, size, count));
            *byte = element[(size_t)(byte - data) % size];
        }
        /* Equal among themselves, but not to the element. */
        element[size - 1] ^= 1;
        assert_int_equal(kernels->all_equal(data, element, size, count), count == 0);
    }
    zt_guarded_free(&memory);
}

static void test_fill_and_all_equal(void **state) {
    (void)state;
    for_each_level(check_fill);
}

/* ---- crc32c */

static uint32_t slow_crc32c(uint32_t crc, const void *data, size_t size) {
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= ((const unsigned char *)data)[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
        }
    }
    return ~crc;
}

/* RFC 3720, appendix B.4, and the check value of the CRC catalogues. */
static void check_crc32c_vectors(const zl_kernels *kernels) {
    unsigned char data[32];
    assert_int_equal(kernels->crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(kernels->crc32c(0, NULL, 0), 0);
    memset(data, 0, sizeof data);
    assert_int_equal(kernels->crc32c(0, data, sizeof data), 0x8a9136aa);
    memset(data, 0xff, sizeof data);
    assert_int_equal(kernels->crc32c(0, data, sizeof data), 0x62a8ab43);
    for (unsigned i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)i;
    }
    assert_int_equal(kernels->crc32c(0, data, sizeof data), 0x46dd794e);
    for (unsigned i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(31 - i);
    }
    assert_int_equal(kernels->crc32c(0, data, sizeof data), 0x113fdb5c);
}

static void check_crc32c(const zl_kernels *kernels) {
    enum { LARGEST = 60000 };
    check_crc32c_vectors(kernels);
    zt_guarded memory = zt_guarded_new(LARGEST);
    zt_random random = zt_random_seed(4);
    zt_random_fill(&random, memory.begin, memory.size);
    for (size_t i = 0; i < 900; i++) {
        const size_t size = i < 850 ? i : (size_t)zt_random_between(&random, 850, LARGEST);
        const char *data = zt_guarded_at(&memory, size, (int)zt_random_below(&random, 2));
        const size_t cut = (size_t)zt_random_between(&random, 0, (int64_t)size);
        const uint32_t whole = kernels->crc32c(0, data, size);
        assert_int_equal(whole, slow_crc32c(0, data, size));
        assert_int_equal(whole, kernels->crc32c(kernels->crc32c(0, data, cut), data + cut, size - cut));
    }
    zt_guarded_free(&memory);
}

static void test_crc32c(void **state) {
    (void)state;
    for_each_level(check_crc32c);
}

/* ---- --bench */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { BENCH_SIZE = 8192, BENCH_REPEAT = 2000 };

#define BENCH(call, ...)                                                         \
    do {                                                                         \
        double best = 1e9;                                                       \
        for (int run = 0; run < 10; run++) {                                     \
            const double start = seconds();                                      \
            for (int i = 0; i < BENCH_REPEAT; i++) {                             \
                call;                                                            \
            }                                                                    \
            const double took = seconds() - start;                               \
            if (took < best) best = took;                                        \
        }                                                                        \
        printf(__VA_ARGS__);                                                     \
        printf(": %.1f GB/s\n", (double)BENCH_SIZE *BENCH_REPEAT / best * 1e-9); \
    } while (0)

static int bench_main(void) {
    static char dst[BENCH_SIZE], src[BENCH_SIZE];
    zl_kernels levels[ZT_LEVELS_MAX];
    unsigned names[ZT_LEVELS_MAX];
    const size_t count = zt_kernel_levels(levels, names);
    uint32_t crc = 0;
    for (size_t n = 0; n < count; n++) {
        const zl_kernels *k = &levels[n];
        printf("level of CPU flags %#x\n", names[n]);
        for (size_t w = 1; w < 4; w++) {
            BENCH(k->swap(dst, src, widths[w], BENCH_SIZE / widths[w]), "  swap %zu", widths[w]);
        }
        for (size_t w = 0; w < ZL_COUNT_OF(widths); w++) {
            const size_t rows = 64 / widths[w], columns = BENCH_SIZE / 64;
            BENCH(k->transpose(dst, 64, src, (int64_t)(columns * widths[w]), widths[w], rows, columns), "  transpose %zu",
                  widths[w]);
        }
        BENCH(k->fill(dst, "abcd", 4, BENCH_SIZE / 4), "  fill");
        BENCH(crc ^= k->all_equal(dst, "abcd", 4, BENCH_SIZE / 4), "  all_equal");
        BENCH(crc = k->crc32c(crc, src, BENCH_SIZE), "  crc32c");
    }
    printf("(%u)\n", (unsigned)crc);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--bench") == 0) return bench_main();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_select),    cmocka_unit_test(test_swap),
        cmocka_unit_test(test_transpose), cmocka_unit_test(test_fill_and_all_equal),
        cmocka_unit_test(test_crc32c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
