/* SPDX-License-Identifier: MIT */
/*
 * What an array holds, and the comparison of reads with it: bit by bit, elements named in messages. Reads go to memory
 * between guard bytes, so that one byte too many is noticed without a sanitizer. Little-endian machines only: the corpus
 * has the bytes as they are in their memory.
 */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>

#define GUARD_SIZE 64
#define GUARD_BYTE 0xA5
#define READ_MAX ((int64_t)1 << 30) /* nobody reads more than this at once here; larger is the caller's fault */

/* ------------------------------------------------------------------------------------------------ content */

static int64_t box_count(const ct_box *box) {
    int64_t count = 1;
    for (int32_t d = 0; d < box->rank; d++) {
        if (!zl_mul_i64(count, box->shape[d], &count)) return INT64_MAX;
    }
    return count;
}

ct_box ct_box_of_array(const zl_array *array) {
    ct_box box = {.rank = zl_array_rank(array)};
    for (int32_t d = 0; d < box.rank; d++) {
        box.shape[d] = zl_array_shape(array)[d];
        box.step[d] = 1;
    }
    return box;
}

static bool slots_from_bytes(ct_content *out, const uint8_t *bytes, size_t size, ct_verdict *verdict) {
    const int64_t count = box_count(&out->box);
    zl_slot *slots = ct_alloc(sizeof(zl_slot) * (size_t)count);
    size_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t length;
        if (size - at < sizeof length) return ct_fail(verdict, "the expected bytes end before element %lld", (long long)i);
        memcpy(&length, bytes + at, sizeof length);
        at += sizeof length;
        if (size - at < length) return ct_fail(verdict, "the expected bytes end within element %lld", (long long)i);
        slots[i] = (zl_slot){bytes + at, length};
        at += length;
    }
    out->slots = slots;
    return at == size || ct_fail(verdict, "the expected bytes hold more than %lld elements", (long long)count);
}

bool ct_content_from_bytes(ct_content *out, const zl_array *array, const ct_box *box, const char *bytes, size_t size,
                           ct_verdict *verdict) {
    const zl_dtype *dtype = zl_array_dtype(array);
    *out = (ct_content){.box = *box, .bytes = (const uint8_t *)bytes};
    if (zl_dtype_is_variable(dtype)) return slots_from_bytes(out, out->bytes, size, verdict);
    out->element_size = zl_dtype_size(dtype);
    if ((uint64_t)box_count(box) * out->element_size == size) return true;
    return ct_fail(verdict, "%zu bytes are expected, but %lld elements of %s with %zu bytes each were opened", size,
                   (long long)box_count(box), zl_dtype_name(dtype), out->element_size);
}

static size_t base64_decode(const char *text, uint8_t *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    int32_t have = 0;
    size_t size = 0;
    for (; *text != '\0' && *text != '='; text++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, *text) - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[size++] = (uint8_t)(bits >> have);
        }
    }
    return size;
}

bool ct_content_from_json(ct_content *out, const zl_array *array, const ct_box *box, const zl_json *list,
                          ct_verdict *verdict) {
    zl_slot *slots = ct_alloc(sizeof(zl_slot) * zl_json_count(list));
    int64_t count = 0;
    *out = (ct_content){.box = *box, .slots = slots};
    for (const zl_json *item = zl_json_first(list); item != NULL; item = zl_json_next(item)) {
        const zl_json *base64 = zl_json_member(item, "base64");
        size_t size = 0;
        const char *text = zl_json_text(base64 != NULL ? base64 : item, &size);
        uint8_t *decoded = ct_alloc(size);
        if (base64 != NULL) size = base64_decode(text, decoded);
        slots[count++] = (zl_slot){base64 != NULL ? (const void *)decoded : text, size};
    }
    if (!zl_dtype_is_variable(zl_array_dtype(array)))
        return ct_fail(verdict, "elements of variable length are expected, %s was opened",
                       zl_dtype_name(zl_array_dtype(array)));
    return count == box_count(box) || ct_fail(verdict, "%lld elements are expected", (long long)count);
}

/* ------------------------------------------------------------------------------------------------ comparison */

static void hex(const void *data, uint64_t size, char *out, size_t cap) {
    size_t at = 0;
    out[0] = '\0';
    for (uint64_t i = 0; i < size && at + 6 < cap; i++)
        at += (size_t)snprintf(out + at, cap - at, "%02x", ((const uint8_t *)data)[i]);
    if (at / 2 < size) (void)snprintf(out + at, cap - at, "...");
}

static bool fail_element(const char *what, const ct_box *box, const int64_t *index, zl_slot got, zl_slot expected,
                         ct_verdict *verdict) {
    char place[256] = "";
    char left[80], right[80];
    for (int32_t d = 0; d < box->rank && strlen(place) < sizeof place - 24; d++)
        (void)snprintf(place + strlen(place), sizeof place - strlen(place), "%s%lld", d > 0 ? "," : "",
                       (long long)(box->start[d] + index[d] * box->step[d]));
    hex(got.data, got.size, left, sizeof left);
    hex(expected.data, expected.size, right, sizeof right);
    return ct_fail(verdict, "%s: element (%s) is %s (%llu bytes), expected %s (%llu bytes)", what, place, left,
                   (unsigned long long)got.size, right, (unsigned long long)expected.size);
}

/* Position of the box's element `index` in the content. */
static int64_t place_in_content(const ct_content *content, const ct_box *box, const int64_t *index) {
    int64_t place = 0;
    for (int32_t d = 0; d < box->rank; d++)
        place = place * content->box.shape[d] + box->start[d] + index[d] * box->step[d] - content->box.start[d];
    return place;
}

static bool next_index(const ct_box *box, int64_t *index) {
    for (int32_t d = box->rank - 1; d >= 0; d--) {
        if (++index[d] < box->shape[d]) return true;
        index[d] = 0;
    }
    return false;
}

static bool compare(const ct_read *read, const uint8_t *data, const int64_t *strides, const ct_content *expected,
                    ct_verdict *verdict) {
    int64_t index[CT_MAX_RANK] = {0};
    if (box_count(&read->box) == 0) return true;
    do {
        const int64_t place = place_in_content(expected, &read->box, index);
        const uint8_t *element = data;
        zl_slot want, got;
        for (int32_t d = 0; d < read->box.rank; d++)
            element += index[d] * strides[d];
        if (expected->element_size == 0) {
            want = expected->slots[place];
            memcpy(&got, element, sizeof got);
        } else {
            want = (zl_slot){expected->bytes + (size_t)place * expected->element_size, expected->element_size};
            got = (zl_slot){element, expected->element_size};
        }
        if (got.size != want.size || (got.size > 0 && memcmp(got.data, want.data, got.size) != 0))
            return fail_element(read->what, &read->box, index, got, want, verdict);
    } while (next_index(&read->box, index));
    return true;
}

static bool guards_are_whole(const uint8_t *memory, size_t size) {
    for (size_t i = 0; i < GUARD_SIZE; i++) {
        if (memory[i] != GUARD_BYTE || memory[GUARD_SIZE + size + i] != GUARD_BYTE) return false;
    }
    return true;
}

/* Strides of the read's memory; returns the offset of element (0,...,0). */
static int64_t lay_out(const ct_read *read, size_t element_size, int64_t *strides) {
    const int32_t rank = read->box.rank;
    int64_t step = (int64_t)element_size;
    for (int32_t i = 0; i < rank; i++) {
        const int32_t d = read->reversed ? i : rank - 1 - i;
        strides[d] = step;
        step *= read->box.shape[d];
    }
    if (!read->reversed || rank == 0 || step == 0) return 0;
    strides[0] = -strides[0];
    return -strides[0] * (read->box.shape[0] - 1);
}

zl_status ct_read_and_compare(const ct_session *session, const zl_array *array, const ct_read *read,
                              const ct_content *expected, ct_verdict *verdict, zl_error *err) {
    const size_t element_size = zl_dtype_size(zl_array_dtype(array));
    const zl_region region = {read->box.rank, read->box.start, read->box.shape, read->box.step};
    zl_read_options options = {.size = sizeof options, .threads = read->threads};
    int64_t strides[CT_MAX_RANK];
    int64_t size;
    if (!zl_mul_i64(box_count(&read->box), (int64_t)element_size, &size) || size > READ_MAX)
        return zl_fail(err, ZL_ERR_LIMIT, "%lld elements of %zu bytes are more than this program reads",
                       (long long)box_count(&read->box), element_size);
    uint8_t *memory = ct_alloc((size_t)size + 2 * GUARD_SIZE);
    memset(memory, GUARD_BYTE, (size_t)size + 2 * GUARD_SIZE);
    const int64_t origin = lay_out(read, element_size, strides);
    const zl_view view = {memory + GUARD_SIZE + origin, read->reversed ? strides : NULL, NULL};
    zl_status status = zl_result_new(&options.result, session->context, err);
    if (status == ZL_OK) status = zl_array_read(array, &region, view, &options, err);
    if (!guards_are_whole(memory, (size_t)size))
        (void)ct_fail(verdict, "%s: wrote outside the caller's memory", read->what);
    if (status == ZL_OK && expected != NULL) (void)compare(read, view.data, strides, expected, verdict);
    zl_result_free(options.result);
    free(memory);
    return status;
}

static ct_box middle_of(ct_box box) {
    for (int32_t d = 0; d < box.rank; d++) {
        box.start[d] += box.shape[d] / 3;
        box.shape[d] = zl_max_i64(1, box.shape[d] / 2);
    }
    return box;
}

static ct_box every_second_of(ct_box box) {
    for (int32_t d = 0; d < box.rank; d++) {
        box.step[d] = 2;
        box.shape[d] = zl_ceil_div(box.shape[d], 2);
    }
    return box;
}

bool ct_compare_all(const ct_session *session, const zl_array *array, const ct_content *expected, ct_verdict *verdict) {
    const bool empty = box_count(&expected->box) == 0;
    const ct_read reads[] = {
        {"read", expected->box, false, 1},
        {"read into reversed memory", expected->box, true, 3},
        {"read of a part", empty ? expected->box : middle_of(expected->box), false, 0},
        {"read of every second element", every_second_of(expected->box), true, 2},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(reads); i++) {
        zl_error err = {0};
        if (ct_read_and_compare(session, array, &reads[i], expected, verdict, &err) != ZL_OK)
            return ct_fail_error(verdict, reads[i].what, &err);
        if (verdict->outcome == CT_FAIL) return false;
    }
    return true;
}
