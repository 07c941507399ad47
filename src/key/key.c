/* SPDX-License-Identifier: MIT */
/*
 * Chunk key encodings "default" (c/0/1) and "v2" (0.1): a prefix, or none, and decimal indices between separators.
 * https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/default/index.html
 * https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/v2/index.html
 *
 * Reading a key accepts nothing but what format writes: "c/00" or "c/+1" is somebody else's object.
 */
#include "key/key.h"

typedef struct key_style {
    char prefix; /* in front of the first separator; 0: there is none, nor that separator */
    char separator;
} key_style;

/* Every encoding there is; what a class calls `self` is one of these. */
static const key_style default_slash = {'c', '/'};
static const key_style default_dot = {'c', '.'};
static const key_style v2_slash = {0, '/'};
static const key_style v2_dot = {0, '.'};

static zl_status read_separator(const zl_json *configuration, char missing, char *out, zl_error *err) {
    static const char *const keys[] = {"separator", NULL};
    static const char *const choices[] = {"/", ".", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    *out = missing;
    if (zl_json_member(configuration, "separator") == NULL) return ZL_OK;
    int choice;
    ZL_TRY(zl_json_get_choice(configuration, "separator", choices, &choice, err));
    *out = choices[choice][0];
    return ZL_OK;
}

static zl_status default_parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    (void)env;
    char separator;
    ZL_TRY(read_separator(configuration, '/', &separator, err));
    *self = separator == '/' ? &default_slash : &default_dot;
    return ZL_OK;
}

static zl_status v2_parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    (void)env;
    char separator;
    ZL_TRY(read_separator(configuration, '.', &separator, err));
    *self = zl_key_v2_self(separator);
    return ZL_OK;
}

const void *zl_key_v2_self(char separator) {
    return separator == '/' ? &v2_slash : &v2_dot;
}

static void key_emit(const void *self, zl_json_writer *writer) {
    const key_style *style = self;
    const char separator[2] = {style->separator, '\0'};
    zl_json_write_object(writer);
    zl_json_write_key(writer, "separator");
    zl_json_write_text(writer, separator);
    zl_json_write_end(writer);
}

/* Decimal digits of an index >= 0. Returns their number. */
static size_t write_index(int64_t index, char *out) {
    char reversed[20];
    size_t count = 0;
    do {
        reversed[count++] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    for (size_t i = 0; i < count; i++) {
        out[i] = reversed[count - 1 - i];
    }
    return count;
}

static size_t key_format(const void *self, int32_t rank, const int64_t *coords, char *buffer, size_t cap) {
    const key_style *style = self;
    char key[ZL_KEY_MAX];
    size_t size = 0;
    if (style->prefix != 0) key[size++] = style->prefix;
    if (style->prefix == 0 && rank == 0) key[size++] = '0';
    for (int32_t axis = 0; axis < rank; axis++) {
        if (size > 0) key[size++] = style->separator;
        size += write_index(coords[axis], key + size);
    }
    if (size >= cap) return 0;
    memcpy(buffer, key, size);
    buffer[size] = '\0';
    return size;
}

/* The canonical decimal at *key, which is moved behind it. */
static bool read_index(const char **key, int64_t *out) {
    const char *digit = *key;
    if (*digit < '0' || *digit > '9') return false;
    const bool leading_zero = digit[0] == '0' && digit[1] >= '0' && digit[1] <= '9';
    if (leading_zero) return false;
    int64_t index = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (!zl_mul_i64(index, 10, &index) || !zl_add_i64(index, *digit - '0', &index)) return false;
    }
    *key = digit;
    *out = index;
    return true;
}

static bool key_read(const void *self, int32_t rank, const char *key, int64_t *coords) {
    const key_style *style = self;
    if (style->prefix == 0 && rank == 0) return strcmp(key, "0") == 0;
    if (style->prefix != 0 && *key++ != style->prefix) return false;
    for (int32_t axis = 0; axis < rank; axis++) {
        const bool separated = style->prefix != 0 || axis > 0;
        if (separated && *key++ != style->separator) return false;
        if (!read_index(&key, &coords[axis])) return false;
    }
    return *key == '\0';
}

const zl_key_class zl_key_default = {
    .size = sizeof(zl_key_class),
    .name = "default",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/default/index.html",
    .parse = default_parse,
    .emit = key_emit,
    .format = key_format,
    .read = key_read,
};

const zl_key_class zl_key_v2 = {
    .size = sizeof(zl_key_class),
    .name = "v2",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/v2/index.html",
    .parse = v2_parse,
    .emit = key_emit,
    .format = key_format,
    .read = key_read,
};

zl_status zl_key_parse(const zl_json *value, const zl_env *env, const zl_key_class **cls, const void **self,
                       zl_error *err) {
    static const zl_key_class *const table[] = {&zl_key_default, &zl_key_v2};
    zl_named named;
    ZL_TRY(zl_json_to_named(value, "chunk key encoding", &named, err));
    for (size_t i = 0; i < ZL_COUNT_OF(table); i++) {
        if (strcmp(table[i]->name, named.name) != 0) continue;
        ZL_TRY(table[i]->parse(named.configuration, env, self, err));
        *cls = table[i];
        return ZL_OK;
    }
    return zl_json_fail(value, err, ZL_ERR_UNSUPPORTED, "chunk key encoding \"%s\" is not known", named.name);
}
