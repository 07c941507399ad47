/* SPDX-License-Identifier: MIT */
/*
 * Runs conversions block by block, through the steps of the plan and two buffers that stay in the first-level cache.
 * Elements of the map are replaced by 1 in front and get their values afterwards. A block that a step cannot do is done
 * in smaller ones, and the smallest element by element.
 *
 * Results that no cache will hold are written past the caches: a usual store reads the memory first that it overwrites.
 * That needs a buffer more, so casts that compute much gain nothing.
 */
#include "simd/cast.h"

#define BLOCK 512                      /* elements */
#define BLOCK_LARGE 8192               /* where no buffer takes part, for the price of calls */
#define STREAM_FROM ((size_t)32 << 20) /* bytes of results */
#define STREAM_ALIGN 16

/* Room for a block of any type. */
typedef struct buffer {
    _Alignas(64) char bytes[BLOCK * 8];
} buffer;

static size_t run_exactly(const zl_cast_plan *cast, void *dst, const void *src, size_t n) {
    const size_t from_width = cast->from.width, to_width = cast->to.width;
    const char *from = src;
    char *to = dst;
    for (size_t i = 0; i < n; i++, from += from_width, to += to_width) {
        uint64_t code = 0;
        if (zl_cast_refuses(zl_cast_one(cast, zl_number_load(&cast->from, from), &code))) return i;
        zl_number_store(&cast->to, to, code);
    }
    return n;
}

static int log_width(const zl_number *number) {
    return __builtin_ctz(number->width);
}

/* False: the block must be done element by element. */
static bool run_steps(const zl_cast_plan *cast, void *dst, const void *src, size_t n) {
    buffer between[2];
    const void *from = src;
    for (int i = 0; i < cast->step_count; i++) {
        const zl_cast_step *step = &cast->steps[i];
        void *to = i + 1 == cast->step_count ? dst : between[i & 1].bytes;
        if (step->run(&cast->params, to, from, n) && step->strict) return false;
        from = to;
    }
    if (cast->is_copy) memcpy(dst, src, n * cast->to.width);
    return true;
}

/* `n` is a multiple of ZL_CAST_UNIT. */
static bool run_block(const zl_cast_plan *cast, void *dst, const void *src, size_t n) {
    const int from = log_width(&cast->from), to = log_width(&cast->to);
    buffer hidden[2];
    const void *shown = src;
    if (cast->table.any_refused && cast->loops->refused(&cast->table, src, n)) return false;
    if (cast->has_stop && cast->loops->any[from](&cast->stop, src, n)) return false;
    for (int i = 0; i < cast->match_count; i++) {
        void *next = hidden[i & 1].bytes;
        cast->loops->hide[from](&cast->matches[i], cast->one, next, shown, n);
        shown = next;
    }
    if (!run_steps(cast, dst, shown, n)) return false;
    for (int i = 0; i < cast->match_count; i++) {
        cast->loops->show[from][to](&cast->matches[i], dst, src, n);
    }
    return true;
}

/* Is the time that of memory? Widenings and integers are, in one step. */
static bool streams(const zl_cast_plan *cast, const void *dst, size_t n) {
    const bool integers = cast->from.kind != ZL_NUMBER_FLOAT && cast->to.kind != ZL_NUMBER_FLOAT;
    const bool is_light = cast->step_count == 1 && (integers || cast->to.width > cast->from.width);
    return is_light && cast->loops->stream && n >= STREAM_FROM / cast->to.width && (uintptr_t)dst % STREAM_ALIGN == 0;
}

static bool run_streamed(const zl_cast_plan *cast, void *dst, const void *src, size_t n) {
    buffer to;
    if (!run_block(cast, to.bytes, src, n)) return false;
    cast->loops->stream(dst, to.bytes, n * cast->to.width);
    return true;
}

/* Fewer elements than a multiple of ZL_CAST_UNIT: in a copy that the first of them fills up. */
static bool run_rest(const zl_cast_plan *cast, void *dst, const void *src, size_t n) {
    const size_t from_width = cast->from.width, to_width = cast->to.width;
    const size_t whole = (n + ZL_CAST_UNIT - 1) / ZL_CAST_UNIT * ZL_CAST_UNIT;
    buffer from, to;
    memcpy(from.bytes, src, n * from_width);
    for (size_t i = n; i < whole; i++) {
        memcpy(from.bytes + i * from_width, src, from_width);
    }
    if (!run_block(cast, to.bytes, from.bytes, whole)) return false;
    memcpy(dst, to.bytes, n * to_width);
    return true;
}

/* Does one loop make the results, and read nothing twice? */
static bool is_single(const zl_cast_plan *cast) {
    return cast->step_count == 1 && cast->match_count == 0 && !cast->table.any_refused && !cast->has_stop;
}

/* `n` is a multiple of ZL_CAST_UNIT, `block` too. Returns n, or the index of the first refused element. */
static size_t run_blocks(const zl_cast_plan *cast, void *dst, const void *src, size_t n, size_t block, bool past_caches) {
    size_t done = 0;
    while (done < n) {
        const char *from = (const char *)src + done * cast->from.width;
        char *to = (char *)dst + done * cast->to.width;
        const size_t count = n - done < block ? n - done : block, smaller = block > BLOCK ? BLOCK : ZL_CAST_UNIT;
        const bool fast = past_caches ? run_streamed(cast, to, from, count) : run_block(cast, to, from, count);
        const size_t good = fast                    ? count
                            : block == ZL_CAST_UNIT ? run_exactly(cast, to, from, count)
                                                    : run_blocks(cast, to, from, count, smaller, false);
        done += good;
        if (good < count) break;
    }
    return done;
}

size_t zl_cast_run(const zl_cast_plan *cast, void *dst, const void *src, size_t n) {
    if (cast->step_count == 0 && !cast->is_copy) return run_exactly(cast, dst, src, n);
    if (cast->is_copy && cast->match_count == 0 && n > 0) {
        memcpy(dst, src, n * cast->to.width);
        return n;
    }
    const bool past_caches = streams(cast, dst, n);
    const size_t whole = n - n % ZL_CAST_UNIT;
    size_t done = run_blocks(cast, dst, src, whole, is_single(cast) && !past_caches ? BLOCK_LARGE : BLOCK, past_caches);
    if (done == whole && whole < n) {
        const char *from = (const char *)src + whole * cast->from.width;
        char *to = (char *)dst + whole * cast->to.width;
        done += run_rest(cast, to, from, n - whole) ? n - whole : run_exactly(cast, to, from, n - whole);
    }
    if (past_caches) cast->loops->stream_end();
    return done;
}
