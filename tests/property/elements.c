/* SPDX-License-Identifier: MIT */
/* Data types and elements. A new data type joins with one line in `types`. */
#include "property.h"

#include "json/json.h"

typedef struct type {
    const char *json;
    uint32_t flags;
} type;

#define NUMBER(more) (PROP_FIXED | PROP_PACKS | (more))
static const type types[] = {
    {"\"int32\"",
     NUMBER(PROP_INT32 | PROP_INTEGER | PROP_SIGNED)}, /* first: what the test codecs take is chosen most often */
    {"\"int64\"", NUMBER(PROP_INT64 | PROP_INTEGER | PROP_SIGNED | PROP_ZFP)},
    {"\"bool\"", NUMBER(0)},
    {"\"int8\"", NUMBER(PROP_INTEGER | PROP_SIGNED)},
    {"\"int16\"", NUMBER(PROP_INTEGER | PROP_SIGNED)},
    {"\"uint8\"", NUMBER(PROP_INTEGER)},
    {"\"uint16\"", NUMBER(PROP_INTEGER)},
    {"\"uint32\"", NUMBER(PROP_INTEGER)},
    {"\"uint64\"", NUMBER(PROP_INTEGER)},
    {"\"float16\"", NUMBER(PROP_FLOAT)},
    {"\"float32\"", NUMBER(PROP_FLOAT | PROP_ZFP)},
    {"\"float64\"", NUMBER(PROP_FLOAT | PROP_ZFP)},
    {"\"bfloat16\"", NUMBER(0)},
    {"\"complex64\"", NUMBER(0)},
    {"\"complex128\"", NUMBER(0)},
    {"\"int2\"", NUMBER(0)},
    {"\"int4\"", NUMBER(0)},
    {"\"uint4\"", NUMBER(0)},
    {"\"float4_e2m1fn\"", NUMBER(0)},
    {"\"float8_e5m2\"", NUMBER(0)},
    {"\"r24\"", PROP_FIXED},
    {"\"r8\"", PROP_FIXED},
    {"{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"ms\",\"scale_factor\":10}}", PROP_FIXED},
    {"{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"generic\",\"scale_factor\":1}}", PROP_FIXED},
    {"{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"a\",\"data_type\":\"int16\"},{\"name\":\"b\","
     "\"data_type\":\"float32\"},{\"name\":\"c\",\"data_type\":\"bool\"}]}}",
     PROP_FIXED},
    {"{\"name\":\"raw_bytes\",\"configuration\":{\"length_bytes\":5}}", PROP_FIXED},
    {"\"string\"", PROP_STRING},
    {"\"bytes\"", PROP_BYTES},
};

bool prop_type_choose(prop_array *array) {
    const bool model = zt_random_below(&array->random, 3) == 0;
    const type *chosen = &types[zt_random_below(&array->random, model ? 2 : ZL_COUNT_OF(types))];
    array->dtype_json = chosen->json;
    array->flags = chosen->flags;
    array->small = (chosen->flags & (PROP_INTEGER | PROP_FLOAT)) && zt_random_below(&array->random, 3) == 0;
    zl_json_doc *doc;
    zl_error err = {0};
    const zl_limits limits = {.size = sizeof limits, .element_size = ZL_MIB};
    const zl_env env = {.size = sizeof env, .arena = array->arena, .limits = &limits, .zarr_format = 3};
    if (zl_json_parse(&doc, chosen->json, strlen(chosen->json), NULL, &array->allocator, &err) == ZL_OK) {
        if (zl_dtype_parse(zl_json_root(doc), &env, &array->dtype, &err) != ZL_OK) array->dtype = NULL;
        zl_json_doc_free(doc);
    }
    if (array->dtype == NULL) {
        printf("data type %s: %s\n", chosen->json, err.message);
        return false;
    }
    for (size_t i = 0; i < ZL_COUNT_OF(array->pool); i++)
        prop_element(array, 0, array->pool[i]);
    memcpy(array->fill, array->pool[0], array->dtype->size);
    return true;
}

static void random_text(prop_array *array, zl_slot *out) {
    static const char *const letters[] = {"a", "z", " ", "\"", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x90\x9f"};
    const size_t length = (size_t)zt_random_below(&array->random, zt_random_below(&array->random, 8) == 0 ? 40 : 4);
    char text[256];
    size_t size = 0;
    for (size_t i = 0; i < length; i++) {
        const char *letter = letters[zt_random_below(&array->random, ZL_COUNT_OF(letters))];
        if (array->flags & PROP_BYTES) {
            zt_random_fill(&array->random, text + size++, 1);
        } else {
            memcpy(text + size, letter, strlen(letter));
            size += strlen(letter);
        }
    }
    *out = (zl_slot){.data = zl_arena_text(array->arena, text, size), .size = size};
}

static void random_bits(prop_array *array, void *out) {
    const size_t size = array->dtype->size;
    switch (zt_random_below(&array->random, 4)) {
    case 0: memset(out, 0, size); break;
    case 1: memset(out, 0xff, size); break; /* often a NaN with a payload */
    default: zt_random_fill(&array->random, out, size); break;
    }
    if (zt_random_below(&array->random, 4) == 0) { /* minus zero, the smallest integer, ... */
        memset(out, 0, size);
        ((uint8_t *)out)[size - 1] = 0x80;
    }
    zl_dtype_fix(array->dtype, false, out, 1);
}

static void small_number(prop_array *array, void *out) {
    static const uint16_t half[] = {0, 0x3c00, 0x4000, 0x4200};
    const size_t number = (size_t)zt_random_below(&array->random, 4);
    const float single = (float)number;
    const double wide = (double)number;
    const uint64_t integer = number; /* bytes beyond the first are zero on either end */
    const size_t size = array->dtype->size;
    memset(out, 0, size);
    if (array->flags & PROP_FLOAT)
        memcpy(out,
               size == 2   ? (const void *)&half[number]
               : size == 4 ? (const void *)&single
                           : (const void *)&wide,
               size);
    else
        memcpy((char *)out, (const char *)&integer, size);
}

void prop_element(prop_array *array, unsigned percent, void *out) {
    if (zt_random_below(&array->random, 100) < percent) {
        memcpy(out, array->fill, array->dtype->size);
    } else if (array->dtype->variable) {
        zl_slot slot;
        random_text(array, &slot);
        memcpy(out, &slot, sizeof slot);
    } else if (array->small) {
        small_number(array, out);
    } else if (zt_random_below(&array->random, 5) > 0 && percent > 0) {
        memcpy(out, array->pool[zt_random_below(&array->random, ZL_COUNT_OF(array->pool))], array->dtype->size);
    } else {
        random_bits(array, out);
    }
}

bool prop_fill_print(prop_array *array) {
    zl_json_writer writer;
    zl_error err = {0};
    zl_json_writer_init(&writer, &array->allocator, 0);
    array->dtype->cls->emit_fill(array->dtype, array->fill, &writer);
    const bool ok = zl_json_writer_finish(&writer, &err) == ZL_OK;
    if (ok)
        prop_print(array, "%s", (const char *)writer.sink.data);
    else
        printf("fill value of %s: %s\n", array->dtype_json, err.message);
    zl_json_writer_clear(&writer);
    return ok;
}
