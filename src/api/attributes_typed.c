/* SPDX-License-Identifier: MIT */
/* Attributes as values of C. Everything else that JSON can say goes through the functions with _json. */
#include "api/attributes.h"

#include <math.h>

#include "api/buffer.h"
#include "engine/context.h"

/* ---- getting */

static zl_status to_bool(void *user, const zl_json *value, zl_error *err) {
    return zl_json_to_bool(value, user, err);
}

static zl_status to_i64(void *user, const zl_json *value, zl_error *err) {
    return zl_json_to_i64(value, user, err);
}

/* JSON has no numbers for these. Some writers put literals there; others strings, as in fill values. */
static const struct {
    const char *text;
    double value;
} not_finite[] = {{"NaN", (double)NAN}, {"Infinity", (double)INFINITY}, {"-Infinity", (double)-INFINITY}};

static zl_status to_double(void *user, const zl_json *value, zl_error *err) {
    size_t size = 0;
    const char *text = zl_json_text(value, &size);
    for (size_t i = 0; i < ZL_COUNT_OF(not_finite); i++) {
        const char *name = not_finite[i].text;
        if (text == NULL || size != strlen(name) || memcmp(text, name, size) != 0) continue;
        *(double *)user = not_finite[i].value;
        return ZL_OK;
    }
    return zl_json_to_double(value, user, err);
}

zl_status zl_attributes_get_bool(const zl_attributes *attributes, const char *name, bool *out, zl_error *err) {
    return zl_attributes_use(attributes, name, to_bool, out, err);
}

zl_status zl_attributes_get_i64(const zl_attributes *attributes, const char *name, int64_t *out, zl_error *err) {
    return zl_attributes_use(attributes, name, to_i64, out, err);
}

zl_status zl_attributes_get_double(const zl_attributes *attributes, const char *name, double *out, zl_error *err) {
    return zl_attributes_use(attributes, name, to_double, out, err);
}

typedef struct text {
    zl_context *context;
    zl_buffer *out;
} text;

static zl_status to_text(void *user, const zl_json *value, zl_error *err) {
    const text *wanted = user;
    size_t size;
    if (zl_json_get_type(value) != ZL_JSON_STRING) return zl_json_fail(value, err, ZL_ERR_METADATA, "must be a string");
    const char *content = zl_json_text(value, &size);
    return zl_buffer_copy(wanted->out, wanted->context, content, size, err);
}

zl_status zl_attributes_get_text(const zl_attributes *attributes, const char *name, zl_buffer *out, zl_error *err) {
    text wanted = {attributes->store->context, out};
    return zl_attributes_use(attributes, name, to_text, &wanted, err);
}

/* All elements are looked at, so that what is too much for the caller is known to be numbers as well. */
typedef struct list {
    zl_attribute_fn convert;
    void *out;
    size_t size; /* of an element */
    size_t cap, count;
} list;

static zl_status add_element(list *wanted, const zl_json *value, zl_error *err) {
    int64_t unused[1]; /* as large and as aligned as a double */
    void *place = wanted->count < wanted->cap ? (char *)wanted->out + wanted->count * wanted->size : (void *)unused;
    wanted->count++;
    return wanted->convert(place, value, err);
}

static zl_status to_list(void *user, const zl_json *value, zl_error *err) {
    if (zl_json_get_type(value) != ZL_JSON_ARRAY) return add_element(user, value, err);
    for (const zl_json *element = zl_json_first(value); element != NULL; element = zl_json_next(element)) {
        ZL_TRY(add_element(user, element, err));
    }
    return ZL_OK;
}

static zl_status get_list(const zl_attributes *attributes, const char *name, list *wanted, size_t *count, zl_error *err) {
    ZL_TRY(zl_attributes_use(attributes, name, to_list, wanted, err));
    *count = wanted->count;
    return ZL_OK;
}

zl_status zl_attributes_get_i64s(const zl_attributes *attributes, const char *name, int64_t *out, size_t cap, size_t *count,
                                 zl_error *err) {
    list wanted = {.convert = to_i64, .out = out, .size = sizeof *out, .cap = cap};
    return get_list(attributes, name, &wanted, count, err);
}

zl_status zl_attributes_get_doubles(const zl_attributes *attributes, const char *name, double *out, size_t cap,
                                    size_t *count, zl_error *err) {
    list wanted = {.convert = to_double, .out = out, .size = sizeof *out, .cap = cap};
    return get_list(attributes, name, &wanted, count, err);
}

/* ---- setting */

static void begin(zl_json_writer *writer, const zl_attributes *attributes) {
    zl_json_writer_init(writer, attributes->store->allocator, 0);
}

static void write_double(zl_json_writer *writer, double value) {
    if (isfinite(value)) {
        zl_json_write_double(writer, value);
    } else {
        zl_json_write_text(writer, not_finite[isnan(value) ? 0 : value > 0 ? 1 : 2].text);
    }
}

/* Stores what was written. */
static zl_status finish(zl_json_writer *writer, zl_attributes *attributes, const char *name, zl_error *err) {
    zl_status status = zl_json_writer_finish(writer, err);
    if (status == ZL_OK && name == NULL) status = zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attribute: the name is NULL");
    if (status == ZL_OK) status = zl_attributes_set_json(attributes, name, (const char *)writer->sink.data, err);
    zl_json_writer_clear(writer);
    return status;
}

zl_status zl_attributes_set_bool(zl_attributes *attributes, const char *name, bool value, zl_error *err) {
    zl_json_writer writer;
    begin(&writer, attributes);
    zl_json_write_bool(&writer, value);
    return finish(&writer, attributes, name, err);
}

zl_status zl_attributes_set_i64(zl_attributes *attributes, const char *name, int64_t value, zl_error *err) {
    zl_json_writer writer;
    begin(&writer, attributes);
    zl_json_write_i64(&writer, value);
    return finish(&writer, attributes, name, err);
}

zl_status zl_attributes_set_double(zl_attributes *attributes, const char *name, double value, zl_error *err) {
    zl_json_writer writer;
    begin(&writer, attributes);
    write_double(&writer, value);
    return finish(&writer, attributes, name, err);
}

zl_status zl_attributes_set_text(zl_attributes *attributes, const char *name, const char *value, zl_error *err) {
    if (value == NULL) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attribute: the value is NULL");
    if (!zl_utf8_valid(value, strlen(value))) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attribute: the value is not valid UTF-8");
    }
    zl_json_writer writer;
    begin(&writer, attributes);
    zl_json_write_text(&writer, value);
    return finish(&writer, attributes, name, err);
}

zl_status zl_attributes_set_i64s(zl_attributes *attributes, const char *name, const int64_t *values, size_t count,
                                 zl_error *err) {
    zl_json_writer writer;
    begin(&writer, attributes);
    zl_json_write_array(&writer);
    for (size_t i = 0; i < count; i++) {
        zl_json_write_i64(&writer, values[i]);
    }
    zl_json_write_end(&writer);
    return finish(&writer, attributes, name, err);
}

zl_status zl_attributes_set_doubles(zl_attributes *attributes, const char *name, const double *values, size_t count,
                                    zl_error *err) {
    zl_json_writer writer;
    begin(&writer, attributes);
    zl_json_write_array(&writer);
    for (size_t i = 0; i < count; i++) {
        write_double(&writer, values[i]);
    }
    zl_json_write_end(&writer);
    return finish(&writer, attributes, name, err);
}
