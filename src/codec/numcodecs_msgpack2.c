/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.msgpack2: a chunk of objects as one MessagePack document.
 * https://numcodecs.readthedocs.io/en/stable/other/msgpacks.html
 * Format: https://github.com/msgpack/msgpack/blob/master/spec.md
 *
 * For reading old arrays: the document is translated to JSON, and that is read as numcodecs.json2 is. Bytes become strings
 * in base64. Extension types are refused, and so are NaN and infinities inside of lists and maps: they have no JSON.
 */
#include "codec/objects.h"
#include "dtype/base64.h"
#include "json/json.h"

static const char msgpack2_name[] = "numcodecs.msgpack2";

#define DEPTH_MAX 512

typedef struct reader {
    const uint8_t *at, *end;
    zl_json_writer *writer;
    const zl_call *call;
} reader;

static zl_status fail(const reader *r, zl_status status, const char *what) {
    return zl_fail(r->call->err, status, "%s: %s", msgpack2_name, what);
}

/* `size` bytes; NULL: there are fewer. */
static const uint8_t *take(reader *r, uint64_t size) {
    if ((uint64_t)(r->end - r->at) < size) return NULL;
    const uint8_t *bytes = r->at;
    r->at += size;
    return bytes;
}

/* A big-endian number of `width` bytes. */
static bool take_number(reader *r, unsigned width, uint64_t *out) {
    const uint8_t *bytes = take(r, width);
    *out = 0;
    for (unsigned i = 0; bytes && i < width; i++) {
        *out = *out << 8 | bytes[i];
    }
    return bytes != NULL;
}

static int64_t sign_extend(uint64_t value, unsigned width) {
    const uint64_t sign = UINT64_C(1) << (8 * width - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* ---- values */

static zl_status read_text(reader *r, uint64_t size) {
    const uint8_t *bytes = take(r, size);
    if (!bytes) return fail(r, ZL_ERR_CORRUPT, "the chunk ends within a string");
    zl_json_write_string(r->writer, (const char *)bytes, (size_t)size);
    return ZL_OK;
}

static zl_status read_bytes(reader *r, uint64_t size) {
    const uint8_t *bytes = take(r, size);
    if (!bytes) return fail(r, ZL_ERR_CORRUPT, "the chunk ends within bytes");
    const size_t length = zl_base64_encoded_size((size_t)size);
    char *text = zl_alloc(r->call->allocator, length + 1, 1);
    if (!text) return zl_fail_memory(r->call->err, length);
    zl_base64_encode(bytes, (size_t)size, text);
    zl_json_write_string(r->writer, text, length);
    zl_free(r->call->allocator, text, length + 1);
    return ZL_OK;
}

static zl_status read_float(reader *r, unsigned width) {
    uint64_t bits;
    if (!take_number(r, width, &bits)) return fail(r, ZL_ERR_CORRUPT, "the chunk ends within a number");
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    if (width == 4) value = (double)single;
    if (value - value != 0) return fail(r, ZL_ERR_UNSUPPORTED, "NaN and infinities are not supported");
    zl_json_write_double(r->writer, value);
    return ZL_OK;
}

static zl_status read_value(reader *r, int depth);

static zl_status read_array(reader *r, uint64_t count, int depth) {
    zl_json_write_array(r->writer);
    for (uint64_t i = 0; i < count; i++) {
        ZL_TRY(read_value(r, depth + 1));
    }
    zl_json_write_end(r->writer);
    return ZL_OK;
}

/* Keys are strings; the writer has them NUL-terminated, and one with a NUL inside is cut there. */
static zl_status read_key(reader *r) {
    const uint8_t *head = take(r, 1);
    uint64_t size = 0;
    if (!head) return fail(r, ZL_ERR_CORRUPT, "the chunk ends where a key is expected");
    const bool short_text = *head >= 0xa0 && *head <= 0xbf;
    if (short_text) size = *head & 0x1f;
    const bool is_text = short_text || (*head >= 0xd9 && *head <= 0xdb && take_number(r, 1u << (*head - 0xd9), &size));
    if (!is_text) return fail(r, ZL_ERR_UNSUPPORTED, "a key of a map that is no string");
    const uint8_t *bytes = take(r, size);
    if (!bytes) return fail(r, ZL_ERR_CORRUPT, "the chunk ends within a key");
    char *key = zl_alloc(r->call->allocator, (size_t)size + 1, 1);
    if (!key) return zl_fail_memory(r->call->err, size);
    memcpy(key, bytes, (size_t)size);
    key[size] = '\0';
    zl_json_write_key(r->writer, key);
    zl_free(r->call->allocator, key, (size_t)size + 1);
    return ZL_OK;
}

static zl_status read_map(reader *r, uint64_t count, int depth) {
    zl_json_write_object(r->writer);
    for (uint64_t i = 0; i < count; i++) {
        ZL_TRY(read_key(r));
        ZL_TRY(read_value(r, depth + 1));
    }
    zl_json_write_end(r->writer);
    return ZL_OK;
}

/* Values whose first byte says their kind alone: 0xc0 and up. */
static zl_status read_long(reader *r, uint8_t head, int depth) {
    uint64_t n = 0;
    const bool has_number = (head >= 0xc4 && head <= 0xc6) || head >= 0xcc;
    static const uint8_t widths[] = {/* c4: bin */ 1,
                                     2,
                                     4,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     /* cc: numbers */ 1,
                                     2,
                                     4,
                                     8,
                                     1,
                                     2,
                                     4,
                                     8,
                                     /* d4: fixed extensions */ 0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     /* d9: strings */ 1,
                                     2,
                                     4,
                                     /* dc: arrays and maps */ 2,
                                     4,
                                     2,
                                     4};
    const unsigned width = has_number ? widths[head - 0xc4] : 0;
    if (width != 0 && !take_number(r, width, &n)) return fail(r, ZL_ERR_CORRUPT, "the chunk ends within a number");
    switch (head) {
    case 0xc0: zl_json_write_null(r->writer); return ZL_OK;
    case 0xc2: zl_json_write_bool(r->writer, false); return ZL_OK;
    case 0xc3: zl_json_write_bool(r->writer, true); return ZL_OK;
    case 0xc4:
    case 0xc5:
    case 0xc6: return read_bytes(r, n);
    case 0xca: return read_float(r, 4);
    case 0xcb: return read_float(r, 8);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: zl_json_write_u64(r->writer, n); return ZL_OK;
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: zl_json_write_i64(r->writer, sign_extend(n, width)); return ZL_OK;
    case 0xd9:
    case 0xda:
    case 0xdb: return read_text(r, n);
    case 0xdc:
    case 0xdd: return read_array(r, n, depth);
    case 0xde:
    case 0xdf: return read_map(r, n, depth);
    default: return fail(r, ZL_ERR_UNSUPPORTED, "extension types are not supported");
    }
}

static zl_status read_value(reader *r, int depth) {
    if (depth > DEPTH_MAX) return fail(r, ZL_ERR_LIMIT, "lists are nested more than 512 deep");
    const uint8_t *head = take(r, 1);
    if (!head) return fail(r, ZL_ERR_CORRUPT, "the chunk ends where a value is expected");
    if (*head < 0x80) {
        zl_json_write_u64(r->writer, *head);
    } else if (*head >= 0xe0) {
        zl_json_write_i64(r->writer, (int64_t)*head - 256);
    } else if (*head < 0x90) {
        return read_map(r, *head & 0x0f, depth);
    } else if (*head < 0xa0) {
        return read_array(r, *head & 0x0f, depth);
    } else if (*head < 0xc0) {
        return read_text(r, *head & 0x1f);
    } else {
        return read_long(r, *head, depth);
    }
    return ZL_OK;
}

/* ---- the codec */

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    (void)env;
    *out = *in;
    *resolved = self;
    return zl_objects_resolve(msgpack2_name, in, err);
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **bound, zl_error *err) {
    (void)resolved, (void)level, (void)out;
    return zl_objects_bind(msgpack2_name, in, arena, bound, err);
}

/* Strings that are not UTF-8 are refused by the writer. */
static zl_status decode(const void *bound, zl_span src, const zl_box *dst, const zl_call *call) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, call->allocator, 0);
    reader r = {src.data, src.data + src.size, &writer, call};
    zl_status status = src.size > 0 ? read_value(&r, 0) : fail(&r, ZL_ERR_CORRUPT, "an empty chunk");
    if (status == ZL_OK && r.at != r.end) status = fail(&r, ZL_ERR_CORRUPT, "bytes behind the document");
    if (status == ZL_OK) {
        status = zl_json_writer_finish(&writer, call->err);
        if (status == ZL_ERR_INVALID_ARGUMENT) status = zl_error_wrap(call->err, ZL_ERR_CORRUPT, "%s: ", msgpack2_name);
    }
    if (status == ZL_OK) status = zl_objects_decode(bound, (zl_span){writer.sink.data, writer.sink.size}, dst, call);
    zl_json_writer_clear(&writer);
    return status;
}

static const zl_ab_ops ab = {.decode = decode, .encode = zl_objects_encode, .bound = zl_objects_bound};

const zl_codec_class zl_codec_numcodecs_msgpack2 = {
    .size = sizeof(zl_codec_class),
    .name = msgpack2_name,
    .spec = "https://numcodecs.readthedocs.io/en/stable/other/msgpacks.html",
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};
