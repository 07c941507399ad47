/* SPDX-License-Identifier: MIT */
/*
 * Codecs for tests of the pipeline and the engine, small enough to be understood at a glance. They take int32 and int64,
 * the last two all types; `k` and `shape` are their configuration.
 *
 *   rows      test.add     x + k
 *             test.xor     x ^ k
 *             test.widen   int64 of x, + 2^33 (int32 only)
 *             test.third   x // 3, back 3e + 1: most elements do not come back, but encode(decode(e)) is e
 *             test.drift   x // 2, back 2e - 1: encode(decode(e)) is not even e
 *             test.picky   x, but k is refused, on the way in and out
 *   whole     test.delta   difference to the element before, in C order; the fill value stays
 *   layout    test.flip    all axes reversed
 *             test.lift    one more axis in front, of extent 1
 *             test.fold    another shape of as many elements, where the box is whole and its strides allow it
 */
#ifndef ZT_MODEL_H
#define ZT_MODEL_H

#include "zt.h"

typedef enum zt_row_kind { ZT_ADD, ZT_XOR, ZT_WIDEN, ZT_THIRD, ZT_DRIFT, ZT_PICKY, ZT_ROW_COUNT } zt_row_kind;
extern const char *const zt_row_name[ZT_ROW_COUNT];

/* Adds all of them. */
zl_status zt_model_add(zl_context *context, zl_error *err);

/* One element as the row codecs compute it; `width` is 4 or 8, that of the side the element comes from. */
int64_t zt_row_encode(zt_row_kind kind, int64_t k, size_t width, int64_t element);
int64_t zt_row_decode(zt_row_kind kind, int64_t k, size_t width, int64_t element);

#endif
