/* SPDX-License-Identifier: MIT */
/* Encoded bytes of a chunk: blocks that never move, so that spans into them stay valid until all are written. */
#include "pipeline/pipeline.h"

typedef struct zl_output_block zl_output_block;
struct zl_output_block {
    zl_output_block *before;
    size_t size; /* with this header */
    size_t used;
};

#define BLOCK_ALIGN 64
#define HEADER ((sizeof(zl_output_block) + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN)
#define SLACK (4 * ZL_KIB) /* for frames and lists of spans behind the first reservation */
#define GROWTH_MAX (8 * ZL_MIB)

void zl_output_init(zl_output *output, const zl_allocator *allocator) {
    *output = (zl_output){.allocator = allocator};
}

void zl_output_clear(zl_output *output) {
    while (output->last) {
        zl_output_block *block = output->last;
        output->last = block->before;
        zl_free(output->allocator, block, block->size);
    }
    output->size = 0;
}

void zl_output_reset(zl_output *output) {
    zl_output_block *kept = output->last;
    if (!kept) return;
    output->last = kept->before;
    zl_output_clear(output);
    kept->before = NULL;
    kept->used = HEADER;
    output->last = kept;
    output->size = kept->size;
}

void *zl_output_reserve(zl_output *output, size_t size) {
    zl_output_block *block = output->last;
    if (!block || block->size - block->used < size) {
        size_t wanted;
        if (!zl_add_size(size, HEADER + SLACK, &wanted)) return NULL;
        const uint64_t growth = zl_min_u64(output->size, GROWTH_MAX);
        if (wanted < growth) wanted = (size_t)growth;
        block = zl_alloc(output->allocator, wanted, BLOCK_ALIGN);
        if (!block) return NULL;
        *block = (zl_output_block){output->last, wanted, HEADER};
        output->last = block;
        output->size += wanted;
    }
    return (char *)block + block->used;
}

void zl_output_commit(zl_output *output, size_t size) {
    zl_output_block *block = output->last;
    const size_t aligned = (size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    const size_t left = block->size - block->used;
    block->used += aligned < left ? aligned : left;
}
