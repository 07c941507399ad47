/* SPDX-License-Identifier: MIT */
/*
 * Reading the part of a chunk that a box needs, where the codec at the end of the chain names it (zl_ab_ops.ranges). Ranges
 * that lie close together are fetched as one, so that the number of requests stays small.
 */
#include "engine/read.h"

#define RANGES_MAX 4096 /* more are not worth the lists: the chunk is read whole */
#define REQUESTS_MAX 256
#define GAP_MIN (16 * ZL_KIB) /* unwanted bytes that cost less than a request */

typedef struct range_list {
    size_t count;
    zl_range *ranges; /* of the object, in order */
    zl_span *parts;   /* their bytes */
    size_t request_count;
    zl_request *requests; /* each for some neighbours among the ranges */
    uint64_t size;        /* of all requests */
} range_list;

static bool may_read_parts(const zl_read_op *op, const zl_pipeline *p, const zl_box *box) {
    return p->kind == ZL_END_OPAQUE && p->end_codec.cls->ab->ranges && p->stream_count == 0 &&
           (p->bb_count == 0 || !op->verify) && (op->array->store->cls->caps & ZL_STORE_RANGE) &&
           !zl_box_is_whole(box, &p->end_shape) && zl_box_has_unit_steps(box);
}

/* Fills the requests, joining ranges with up to `gap` bytes between them. False: it takes more than REQUESTS_MAX. */
static bool join_ranges(range_list *list, uint64_t gap) {
    list->request_count = 0;
    list->size = 0;
    for (size_t i = 0; i < list->count; i++) {
        const zl_range *range = &list->ranges[i];
        zl_request *last = list->request_count ? &list->requests[list->request_count - 1] : NULL;
        const uint64_t end = last ? last->offset + last->length : 0;
        if (last && (range->offset <= end || range->offset - end <= gap)) {
            const uint64_t longer = zl_sat_add(range->offset, range->length) - last->offset;
            if (longer <= last->length) continue; /* neighbours may share a byte */
            list->size += longer - last->length;
            last->length = longer;
        } else {
            if (list->request_count == REQUESTS_MAX) return false;
            list->requests[list->request_count++] = (zl_request){.offset = range->offset, .length = range->length};
            list->size += range->length;
        }
    }
    return true;
}

/* `*wanted` is false when the whole chunk is the better request. */
static zl_status plan(const zl_pipeline *p, const zl_box *box, range_list *list, bool *wanted, const zl_call *call) {
    const zl_ab_ops *ops = p->end_codec.cls->ab;
    const size_t count = ops->ranges(p->end_codec.bound, box, NULL, 0);
    *wanted = false;
    if (count == 0 || count > RANGES_MAX) return ZL_OK;
    const size_t bytes = count * (sizeof(zl_range) + sizeof(zl_span)) + REQUESTS_MAX * sizeof(zl_request);
    list->requests = zl_call_scratch(call, bytes, _Alignof(zl_request));
    if (!list->requests) return zl_fail_memory(call->err, bytes);
    list->ranges = (zl_range *)(list->requests + REQUESTS_MAX);
    list->parts = (zl_span *)(list->ranges + count);
    list->count = count;
    ops->ranges(p->end_codec.bound, box, list->ranges, count);
    for (size_t i = 0; i < count; i++)
        list->ranges[i].offset += p->head;
    uint64_t gap = GAP_MIN;
    while (!join_ranges(list, gap))
        gap *= 4;
    *wanted = list->size < p->bounds[0] / 2;
    return ZL_OK;
}

static zl_status fetch(zl_read_job *job, range_list *list, zl_object_info *info, const zl_call *call) {
    zl_request *requests = list->requests;
    if (!(zl_read_op_of(job)->array->store->cls->caps & ZL_STORE_LEND)) {
        char *into = zl_call_scratch(call, (size_t)list->size, 64);
        if (!into) return zl_fail_memory(call->err, list->size);
        for (size_t i = 0; i < list->request_count; i++) {
            requests[i].into = into;
            requests[i].cap = (size_t)requests[i].length;
            into += requests[i].length;
        }
    }
    ZL_TRY(zl_read_get(job, job->job.key, requests, list->request_count, NULL, info, call->err));
    for (size_t i = 0; i < list->request_count; i++) {
        if (requests[i].bytes.size == requests[i].length) continue;
        return zl_fail(call->err, ZL_ERR_IO, "the store gave %zu bytes of %llu", requests[i].bytes.size,
                       (unsigned long long)requests[i].length);
    }
    return ZL_OK;
}

static void find_parts(range_list *list) {
    const zl_request *request = list->requests;
    for (size_t i = 0; i < list->count; i++) {
        const zl_range *range = &list->ranges[i];
        while (range->offset >= request->offset + request->length)
            request++;
        list->parts[i] = (zl_span){request->bytes.data + (range->offset - request->offset), (size_t)range->length};
    }
}

zl_status zl_ranges_read(zl_read_job *job, const zl_pipeline *p, const zl_box *box, bool *done, const zl_call *call) {
    range_list list = {0};
    *done = false;
    if (!may_read_parts(zl_read_op_of(job), p, box)) return ZL_OK;
    ZL_TRY(plan(p, box, &list, done, call));
    if (!*done) return ZL_OK;
    zl_object_info info = {0};
    zl_status status = fetch(job, &list, &info, call);
    if (status == ZL_OK) {
        find_parts(&list);
        status = zl_decode_parts(p, info.size, list.parts, box, call);
    }
    for (size_t i = 0; i < list.request_count; i++)
        zl_bytes_release(&list.requests[i].bytes);
    return status;
}
