/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.adler32, crc32, crc32c, fletcher32 and jenkins_lookup3: the content unchanged, and 4 bytes of checksum,
 * little-endian, in front of it or behind it.
 * Spec: https://numcodecs.readthedocs.io/en/stable/checksum32.html
 *
 * The registered codec for this is crc32c; these are here for what older writers left, so most are simple, not fast.
 */
#if ZL_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "codec/chain.h"
#include "simd/kernels.h"

#define CHECKSUM_SIZE 4

struct kind {
    const char *name;
    bool at_end;             /* unless `location` says otherwise */
    const char *const *keys; /* of the configuration */
    uint32_t initial;        /* the sum of nothing, unless `initval` says otherwise */
    uint32_t (*sum)(uint32_t initial, const uint8_t *data, size_t size);
};

struct checksum {
    const struct kind *kind;
    bool at_end;
    uint32_t initial;
};

/* ---- the sums */

static uint32_t adler32(uint32_t initial, const uint8_t *data, size_t size) {
    enum { PRIME = 65521, STRETCH = 5552 }; /* sums of so many bytes fit into 32 bits */
    uint32_t a = initial & 0xffff, b = initial >> 16;
    while (size > 0) {
        const size_t n = size < STRETCH ? size : STRETCH;
        for (size_t i = 0; i < n; i++) {
            a += data[i];
            b += a;
        }
        a %= PRIME;
        b %= PRIME;
        data += n;
        size -= n;
    }
    return b << 16 | a;
}

#if ZL_HAVE_LIBDEFLATE
static uint32_t crc32(uint32_t initial, const uint8_t *data, size_t size) {
    return libdeflate_crc32(initial, data, size);
}
#else
/* By half bytes: entry i is the remainder of i, reflected. */
static uint32_t crc32(uint32_t initial, const uint8_t *data, size_t size) {
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = ~initial;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
#endif

static uint32_t crc32c(uint32_t initial, const uint8_t *data, size_t size) {
    return zl_kernels_get()->crc32c(initial, data, size);
}

/* As in HDF5: words of 16 bits, big-endian, a last single byte is the high one; sums modulo 65535, where a sum of 65535
 * stays what it is. */
static uint32_t fletcher32(uint32_t initial, const uint8_t *data, size_t size) {
    enum { STRETCH = 360 }; /* sums of so many words fit into 32 bits */
    uint32_t a = initial & 0xffff, b = initial >> 16;
    const size_t words = size / 2;
    for (size_t i = 0; i < words;) {
        const size_t end = words - i < STRETCH ? words : i + STRETCH;
        for (; i < end; i++) {
            a += (uint32_t)data[2 * i] << 8 | data[2 * i + 1];
            b += a;
        }
        a = (a & 0xffff) + (a >> 16);
        b = (b & 0xffff) + (b >> 16);
    }
    if (size % 2) {
        a += (uint32_t)data[size - 1] << 8;
        b += a;
        a = (a & 0xffff) + (a >> 16);
        b = (b & 0xffff) + (b >> 16);
    }
    a = (a & 0xffff) + (a >> 16);
    b = (b & 0xffff) + (b >> 16);
    return b << 16 | a;
}

static uint32_t load_word(const uint8_t *data) {
    return (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}

static uint32_t rotate(uint32_t word, int by) {
    return word << by | word >> (32 - by);
}

/* Bob Jenkins' lookup3 ("hashlittle"), as in HDF5: three words are mixed with 12 bytes at a time, and once more at the end
 * with what is left, 1 to 12 bytes, as if zeros followed. */
static uint32_t jenkins_lookup3(uint32_t initial, const uint8_t *data, size_t size) {
    enum { BLOCK = 12 };
    uint32_t a, b, c;
    uint8_t rest[BLOCK] = {0};
    a = b = c = 0xdeadbeef + (uint32_t)size + initial;
    if (size == 0) return c;
    for (; size > BLOCK; data += BLOCK, size -= BLOCK) {
        a += load_word(data);
        b += load_word(data + 4);
        c += load_word(data + 8);
#define MIX(to, from, third, by) to = (to - from) ^ rotate(from, by), from += third
        MIX(a, c, b, 4);
        MIX(b, a, c, 6);
        MIX(c, b, a, 8);
        MIX(a, c, b, 16);
        MIX(b, a, c, 19);
        MIX(c, b, a, 4);
#undef MIX
    }
    memcpy(rest, data, size);
    a += load_word(rest);
    b += load_word(rest + 4);
    c += load_word(rest + 8);
#define END(to, from, by) to = (to ^ from) - rotate(from, by)
    END(c, b, 14);
    END(a, c, 11);
    END(b, a, 25);
    END(c, b, 16);
    END(a, c, 4);
    END(b, a, 14);
    END(c, b, 24);
#undef END
    return c;
}

/* ---- the frame */

static const char *const location_keys[] = {"location", NULL};
static const char *const initval_keys[] = {"initval", "prefix", NULL};
static const char *const no_keys[] = {NULL};

/* NumPy makes the prefix of bytes, which JSON cannot hold, so nothing but null was ever read back. */
static zl_status parse_initial(const zl_json *configuration, uint32_t *out, zl_error *err) {
    const zl_json *prefix = zl_json_member(configuration, "prefix");
    if (prefix && zl_json_get_type(prefix) != ZL_JSON_NULL) {
        return zl_json_fail(prefix, err, ZL_ERR_UNSUPPORTED, "only null is known");
    }
    const zl_json *value = zl_json_member(configuration, "initval");
    uint64_t initial = *out;
    if (value) ZL_TRY(zl_json_to_u64(value, &initial, err));
    if (initial > UINT32_MAX) return zl_json_fail(value, err, ZL_ERR_METADATA, "must fit into 32 bits");
    *out = (uint32_t)initial;
    return ZL_OK;
}

static zl_status make(const zl_json *configuration, const struct kind *kind, const zl_env *env, const void **self,
                      zl_error *err) {
    static const char *const locations[] = {"start", "end", NULL};
    ZL_TRY(zl_json_only(configuration, kind->keys, err));
    struct checksum *checksum = ZL_ARENA_NEW(env->arena, struct checksum);
    if (!checksum) return zl_fail_memory(err, sizeof *checksum);
    int at_end = kind->at_end;
    if (zl_json_member(configuration, "location")) {
        ZL_TRY(zl_json_get_choice(configuration, "location", locations, &at_end, err));
    }
    checksum->kind = kind;
    checksum->at_end = at_end;
    checksum->initial = kind->initial;
    ZL_TRY(parse_initial(configuration, &checksum->initial, err));
    *self = checksum;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct checksum *checksum = self;
    zl_json_write_object(writer);
    if (checksum->kind->keys == location_keys) {
        zl_json_write_key(writer, "location");
        zl_json_write_text(writer, checksum->at_end ? "end" : "start");
    } else if (checksum->kind->keys == initval_keys) {
        zl_json_write_key(writer, "initval");
        zl_json_write_u64(writer, checksum->initial);
    }
    zl_json_write_end(writer);
}

static void extent(const void *bound, uint32_t *head, uint32_t *tail) {
    const struct checksum *checksum = bound;
    *head = checksum->at_end ? 0 : CHECKSUM_SIZE;
    *tail = checksum->at_end ? CHECKSUM_SIZE : 0;
}

static zl_status check(const void *bound, zl_span frame, const zl_call *call) {
    const struct checksum *checksum = bound;
    const char *name = checksum->kind->name;
    if (frame.size < CHECKSUM_SIZE) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: %zu bytes, a checksum alone has %d", name, frame.size,
                       CHECKSUM_SIZE);
    }
    const size_t size = frame.size - CHECKSUM_SIZE;
    const uint8_t *at = frame.data + (checksum->at_end ? size : 0);
    const uint32_t stored = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    const uint32_t computed =
        checksum->kind->sum(checksum->initial, frame.data + (checksum->at_end ? 0 : CHECKSUM_SIZE), size);
    if (computed == stored) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: %zu bytes have checksum %08x, but %08x is stored", name, size,
                   (unsigned)computed, (unsigned)stored);
}

/* Several spans, as behind a shard, are joined first: not worth a second form of every sum. */
static zl_status join(const zl_span *spans, size_t n, zl_span *out, const zl_call *call) {
    *out = n == 1 ? spans[0] : (zl_span){0};
    if (n <= 1) return ZL_OK;
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        size += spans[i].size; /* all are in memory, so their sum is a size */
    }
    uint8_t *joined = zl_call_scratch(call, size, 1);
    if (!joined) return zl_fail_memory(call->err, size);
    *out = (zl_span){joined, size};
    for (size_t i = 0; i < n; i++) {
        memcpy(joined, spans[i].data, spans[i].size);
        joined += spans[i].size;
    }
    return ZL_OK;
}

static zl_status seal(const void *bound, const zl_span *spans, size_t n, uint8_t *head, uint8_t *tail,
                      const zl_call *call) {
    const struct checksum *checksum = bound;
    zl_span content = {0};
    ZL_TRY(join(spans, n, &content, call));
    const uint32_t sum = checksum->kind->sum(checksum->initial, content.data, content.size);
    uint8_t *to = checksum->at_end ? tail : head;
    for (int i = 0; i < CHECKSUM_SIZE; i++) {
        to[i] = (uint8_t)(sum >> (8 * i));
    }
    return ZL_OK;
}

static const zl_bb_ops bb = {.extent = extent, .check = check, .seal = seal};

/* ---- the codecs */

#define DEFINE_CHECKSUM(symbol, end, keys, initial)                                                                      \
    static zl_status parse_##symbol(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) { \
        static const struct kind kind = {#symbol, end, keys, initial, symbol};                                           \
        return make(configuration, &kind, env, self, err);                                                               \
    }                                                                                                                    \
    const zl_codec_class zl_codec_numcodecs_##symbol = {                                                                 \
        .size = sizeof(zl_codec_class),                                                                                  \
        .name = "numcodecs." #symbol,                                                                                    \
        .spec = "https://numcodecs.readthedocs.io/en/stable/checksum32.html",                                            \
        .parse = parse_##symbol,                                                                                         \
        .emit = emit,                                                                                                    \
        .bb = &bb,                                                                                                       \
    };
DEFINE_CHECKSUM(adler32, false, location_keys, 1)
DEFINE_CHECKSUM(crc32, false, location_keys, 0)
DEFINE_CHECKSUM(crc32c, true, location_keys, 0)
DEFINE_CHECKSUM(fletcher32, true, no_keys, 0)
DEFINE_CHECKSUM(jenkins_lookup3, true, initval_keys, 0)
