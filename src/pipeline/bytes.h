/* SPDX-License-Identifier: MIT */
#ifndef ZL_PIPELINE_BYTES_H
#define ZL_PIPELINE_BYTES_H

#include "pipeline/pipeline.h"

/* Runs content that lies in `count` spans through the bytes codecs of `p`. The result's spans point into how->output or are
 * spans of the content. */
zl_status zl_encode_bytes(const zl_pipeline *p, const zl_span *content, size_t count, const zl_encode *how,
                          zl_encoded *out);

#endif
