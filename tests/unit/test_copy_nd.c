/* SPDX-License-Identifier: MIT */
/*
 * Copies of strided boxes against a loop that knows no tricks. Every byte of dst is compared, so what must stay is checked
 * as well as what must change; blocks of memory have the exact size, so a sanitizer sees reads outside of src.
 *
 * With --bench: speeds in GB/s and how they compare with a plain copy of the same box. Not run by ctest.
 */
#include "simd/kernels.h"

#include <time.h>

#include "zt.h"

/* A box somewhere in memory: `data` is element (0, 0, ...) inside `block`. */
typedef struct layout {
    int64_t stride[ZL_MAX_RANK];
    char *block, *data;
    size_t size;
} layout;

typedef struct scenario {
    int32_t rank;
    int64_t shape[ZL_MAX_RANK];
    size_t size, swap_width;
} scenario;

typedef enum source { SOURCE_ANY, SOURCE_REPEATS } source;

/* Axes in random order, with gaps, some of them backwards; if `repeats`, some with step zero. */
static layout layout_new(zt_random *random, const scenario *s, source kind) {
    int32_t order[ZL_MAX_RANK];
    for (int32_t i = 0; i < s->rank; i++) {
        const int32_t at = (int32_t)zt_random_below(random, (uint64_t)i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    const bool gaps = zt_random_below(random, 2) == 0, backwards = zt_random_below(random, 3) == 0;
    layout out;
    int64_t used = (int64_t)s->size, start = 0;
    for (int32_t i = 0; i < s->rank; i++) {
        const int32_t axis = order[i];
        const int64_t gap = gaps && zt_random_below(random, 2) == 0 ? (int64_t)zt_random_below(random, 2 * s->size + 2) : 0;
        const bool repeats = kind == SOURCE_REPEATS && zt_random_below(random, 2) == 0;
        const int64_t step = repeats ? 0 : used + gap, last = step * (s->shape[axis] - 1);
        out.stride[axis] = step;
        if (last >= 0) used += last + (step > 0 ? gap : 0);
        if (backwards && zt_random_below(random, 2) == 0 && last > 0) {
            out.stride[axis] = -step;
            start += last;
        }
    }
    const int64_t misaligned = (int64_t)zt_random_below(random, 80);
    out.size = (size_t)(used + misaligned);
    out.block = malloc(out.size);
    assert_non_null(out.block);
    out.data = out.block + misaligned + start;
    zt_random_fill(random, out.block, out.size);
    return out;
}

static layout layout_clone(const layout *of) {
    layout out = *of;
    out.block = malloc(of->size);
    assert_non_null(out.block);
    memcpy(out.block, of->block, of->size);
    out.data = out.block + (of->data - of->block);
    return out;
}

static void slow_copy(const scenario *s, const layout *dst, const layout *src) {
    int64_t count = 1;
    for (int32_t i = 0; i < s->rank; i++) {
        count *= s->shape[i];
    }
    const size_t unit = s->swap_width > 1 ? s->swap_width : 1;
    for (int64_t n = 0; n < count; n++) {
        char *to = dst->data;
        const char *from = src->data;
        int64_t rest = n;
        for (int32_t i = 0; i < s->rank; i++) {
            to += rest % s->shape[i] * dst->stride[i];
            from += rest % s->shape[i] * src->stride[i];
            rest /= s->shape[i];
        }
        for (size_t k = 0; k < s->size; k++) {
            to[k] = from[k / unit * unit + (unit - 1 - k % unit)];
        }
    }
}

static void fail_scenario(const scenario *s, const layout *dst, const layout *src) {
    print_error("size %zu, swap %zu", s->size, s->swap_width);
    for (int32_t i = 0; i < s->rank; i++) {
        print_error(", axis %d: %lld (dst %lld, src %lld)", i, (long long)s->shape[i], (long long)dst->stride[i],
                    (long long)src->stride[i]);
    }
    print_error("\n");
    fail_msg("the copy differs from the slow one");
}

static void check(zt_random *random, const scenario *s, source kind) {
    layout src = layout_new(random, s, kind), dst = layout_new(random, s, SOURCE_ANY), expected = layout_clone(&dst);
    slow_copy(s, &expected, &src);
    if (s->swap_width == 0) {
        zl_copy_nd(s->rank, s->shape, dst.data, dst.stride, src.data, src.stride, s->size);
    } else {
        zl_copy_nd_swap(s->rank, s->shape, dst.data, dst.stride, src.data, src.stride, s->size, s->swap_width);
    }
    if (memcmp(dst.block, expected.block, dst.size) != 0) fail_scenario(s, &dst, &src);
    free(src.block);
    free(dst.block);
    free(expected.block);
}

static size_t random_size(zt_random *random) {
    static const size_t sizes[] = {1, 2, 4, 8, 16, 32, 130};
    if (zt_random_below(random, 2) == 0) return (size_t)zt_random_between(random, 1, 17);
    return sizes[zt_random_below(random, ZL_COUNT_OF(sizes))];
}

static size_t random_swap_width(zt_random *random, size_t size) {
    const size_t width = (size_t)1 << zt_random_below(random, 4);
    return size % width == 0 ? width : 0;
}

/* About `count` elements. */
static scenario random_scenario(zt_random *random, int32_t rank, int64_t count) {
    scenario s = {.rank = rank, .size = random_size(random)};
    if (zt_random_below(random, 3) == 0) s.swap_width = random_swap_width(random, s.size);
    for (int32_t i = 0; i < rank; i++) {
        s.shape[i] = zt_random_between(random, 1, count > 1 ? count : 1);
        if (zt_random_below(random, 4) == 0) s.shape[i] = zt_random_between(random, 1, 3);
        count /= s.shape[i];
    }
    return s;
}

static void test_random_boxes(void **state) {
    (void)state;
    zt_random random = zt_random_seed(1);
    for (int i = 0; i < 6000; i++) {
        const scenario s = random_scenario(&random, (int32_t)zt_random_below(&random, 7), 600);
        check(&random, &s, i % 3 == 0 ? SOURCE_REPEATS : SOURCE_ANY);
    }
}

/* Large enough for several blocks and for whole and partial tiles of every level. */
static void test_planes(void **state) {
    (void)state;
    zt_random random = zt_random_seed(2);
    for (int i = 0; i < 300; i++) {
        scenario s = {.rank = 2, .size = random_size(&random)};
        s.swap_width = i % 2 != 0 ? random_swap_width(&random, s.size) : 0;
        s.shape[0] = zt_random_between(&random, 1, 90);
        s.shape[1] = zt_random_between(&random, 1, s.size <= 2 ? 600 : 90);
        check(&random, &s, SOURCE_ANY);
    }
}

static void test_highest_rank(void **state) {
    (void)state;
    zt_random random = zt_random_seed(3);
    for (int i = 0; i < 50; i++) {
        scenario s = {.rank = ZL_MAX_RANK, .size = random_size(&random)};
        for (int32_t k = 0; k < s.rank; k++) {
            s.shape[k] = 1;
        }
        for (int k = 0; k < 9; k++) {
            s.shape[zt_random_below(&random, ZL_MAX_RANK)] = 2;
        }
        check(&random, &s, SOURCE_ANY);
    }
}

static void test_large_elements(void **state) {
    (void)state;
    zt_random random = zt_random_seed(4);
    const scenario copies = {.rank = 2, .shape = {2, 2}, .size = ZL_MIB};
    check(&random, &copies, SOURCE_ANY);
    check(&random, &copies, SOURCE_REPEATS);
    const scenario swaps = {.rank = 1, .shape = {3}, .size = ZL_MIB, .swap_width = 8};
    check(&random, &swaps, SOURCE_ANY);
}

static void test_fill(void **state) {
    (void)state;
    zt_random random = zt_random_seed(5);
    for (int i = 0; i < 2000; i++) {
        scenario s = random_scenario(&random, (int32_t)zt_random_below(&random, 5), 400);
        s.swap_width = 0;
        char element[130];
        zt_random_fill(&random, element, sizeof element);
        if (i % 3 == 0) memset(element, (int)zt_random_below(&random, 256), sizeof element);
        layout dst = layout_new(&random, &s, SOURCE_ANY), expected = layout_clone(&dst);
        const layout src = {.data = element};
        slow_copy(&s, &expected, &src);
        zl_fill_nd(s.rank, s.shape, dst.data, dst.stride, element, s.size);
        if (memcmp(dst.block, expected.block, dst.size) != 0) fail_scenario(&s, &dst, &src);
        free(dst.block);
        free(expected.block);
    }
}

static void test_nothing_to_do(void **state) {
    (void)state;
    const int64_t shape[3] = {5, 0, 3}, stride[3] = {8, 8, 8};
    char dst = 1, src = 2;
    zl_copy_nd(3, shape, &dst, stride, &src, stride, 1);
    zl_copy_nd(3, shape, NULL, stride, NULL, stride, 4);
    zl_copy_nd_swap(3, shape, NULL, stride, NULL, stride, 4, 2);
    zl_fill_nd(3, shape, NULL, stride, NULL, 4);
    zl_copy_nd(1, shape, &dst, stride, &src, stride, 0);
    assert_int_equal(dst, 1);
    zl_copy_nd(0, NULL, &dst, NULL, &src, NULL, 1);
    assert_int_equal(dst, 2);
}

/* ---- --bench */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct bench {
    int32_t rank;
    int64_t array, block; /* extents of cubes: blocks are scattered all over an array */
    size_t size, swap_width;
    char *dst, *src;
} bench;

static int64_t power(int64_t base, int32_t exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* Copies the block, its axes taken in `order`, to all its places in the array. Returns GB/s, the best of five runs. */
static double bench_run(const bench *b, const int32_t *order) {
    int64_t shape[3], dst_stride[3], src_stride[3];
    for (int32_t i = 0; i < b->rank; i++) {
        shape[i] = b->block;
        dst_stride[i] = (int64_t)b->size * power(b->array, b->rank - 1 - i);
        src_stride[order[i]] = (int64_t)b->size * power(b->block, b->rank - 1 - i);
    }
    const int64_t per_axis = b->array / b->block, blocks = power(per_axis, b->rank);
    double best = 1e9;
    for (int run = 0; run < 5; run++) {
        const double start = seconds();
        for (int64_t n = 0; n < blocks; n++) {
            char *dst = b->dst;
            int64_t rest = n;
            for (int32_t i = b->rank - 1; i >= 0; i--) {
                dst += rest % per_axis * b->block * dst_stride[i];
                rest /= per_axis;
            }
            zl_copy_nd_swap(b->rank, shape, dst, dst_stride, b->src, src_stride, b->size, b->swap_width);
        }
        const double took = seconds() - start;
        if (took < best) best = took;
    }
    return (double)b->size * (double)power(b->array, b->rank) / best * 1e-9;
}

static void bench_orders(bench b, const int32_t (*orders)[3], size_t order_count) {
    enum { MISALIGNED = 16 }; /* as large blocks of malloc are */
    const size_t dst_size = b.size * (size_t)power(b.array, b.rank), src_size = b.size * (size_t)power(b.block, b.rank);
    char *dst = malloc(dst_size + MISALIGNED), *src = malloc(src_size + MISALIGNED);
    if (dst == NULL || src == NULL) abort();
    memset(dst, 1, dst_size + MISALIGNED);
    memset(src, 2, src_size + MISALIGNED);
    b.dst = dst + MISALIGNED;
    b.src = src + MISALIGNED;
    double plain = 0;
    for (size_t i = 0; i < order_count; i++) {
        const double speed = bench_run(&b, orders[i]);
        if (i == 0) plain = speed;
        printf("size %2zu swap %zu, order", b.size, b.swap_width);
        for (int32_t k = 0; k < b.rank; k++) {
            printf(" %d", orders[i][k]);
        }
        printf(": %5.1f GB/s, %4.2f of the plain copy\n", speed, speed / plain);
    }
    free(dst);
    free(src);
}

static int bench_main(void) {
    static const int32_t planes[][3] = {{0, 1}, {1, 0}};
    static const int32_t cubes[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    printf("512x512 into 4096x4096\n");
    for (size_t size = 1; size <= 16; size *= 2) {
        bench_orders((bench){.rank = 2, .array = 4096, .block = 512, .size = size}, planes, 2);
        if (size == 1) continue;
        const size_t swap_width = size < 8 ? size : 8;
        bench_orders((bench){.rank = 2, .array = 4096, .block = 512, .size = size, .swap_width = swap_width}, planes, 2);
    }
    printf("64x64x64 into 256x256x256\n");
    for (size_t size = 1; size <= 8; size *= 2) {
        bench_orders((bench){.rank = 3, .array = 256, .block = 64, .size = size}, cubes, 6);
    }
    printf("structs: 512x512 into 2048x2048\n");
    bench_orders((bench){.rank = 2, .array = 2048, .block = 512, .size = 13}, planes, 2);
    bench_orders((bench){.rank = 2, .array = 2048, .block = 512, .size = 3}, planes, 2);
    printf("small boxes: 4x4 into 4096x4096\n");
    bench_orders((bench){.rank = 2, .array = 4096, .block = 4, .size = 4}, planes, 2);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--bench") == 0) return bench_main();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_boxes),   cmocka_unit_test(test_planes), cmocka_unit_test(test_highest_rank),
        cmocka_unit_test(test_large_elements), cmocka_unit_test(test_fill),   cmocka_unit_test(test_nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
