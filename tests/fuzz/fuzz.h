/* SPDX-License-Identifier: MIT */
/* What a fuzz target defines, for libFuzzer or for replay.c. */
#ifndef ZL_FUZZ_H
#define ZL_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
