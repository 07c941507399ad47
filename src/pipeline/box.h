/* SPDX-License-Identifier: MIT */
/*
 * Boxes: wanted elements in one level's coordinates, and where each lives in memory. Moving between levels changes
 * coordinates and strides; elements stay where they are.
 */
#ifndef ZL_PIPELINE_BOX_H
#define ZL_PIPELINE_BOX_H

#include "base/base.h"

/* Byte strides of a contiguous C-order block; false when its size does not fit. */
bool zl_c_strides(const zl_shape *shape, size_t element_size, int64_t *strides);

/* The whole of a contiguous block at `data`. */
void zl_box_whole(zl_box *box, const zl_shape *shape, size_t element_size, void *data);

/* The share of `box` in the cell that starts at `origin` and has `length` elements per axis, in the cell's own
 * coordinates. False when it has none. Chunks of a grid and parts of a shard use the same cut. */
bool zl_box_cut(const zl_box *box, const int64_t *origin, const int64_t *length, zl_box *out);

/* Number of elements. */
int64_t zl_box_count(const zl_box *box);
/* Starts at 0 with steps of 1 and holds every element below `edge`: nothing old is needed under it. */
bool zl_box_covers(const zl_box *box);
/* Holds every element of a block of that shape. */
bool zl_box_is_whole(const zl_box *box, const zl_shape *shape);
/* Its memory is one C-order run without gaps. */
bool zl_box_is_contiguous(const zl_box *box, size_t element_size);
bool zl_box_has_unit_steps(const zl_box *box);
/* Coordinates of the element that lives at `address`. False: none does, or the strides do not tell which. */
bool zl_box_find(const zl_box *box, const char *address, int64_t *coords);
/* Are all its elements `element`, by bits (by text, for elements of variable length)? */
bool zl_box_all_equal(const zl_box *box, const zl_dtype *dtype, const void *element);

/* Visits the cells of a division that hold elements of a box, last axis fastest. Per axis, cell indices are found with
 * `locate` and their extents with `span`, which a chunk grid gives; a NULL `grid` means equal cells of `length`. */
typedef struct zl_cells {
    const zl_box *box;
    const zl_grid_class *grid;
    const void *grid_self;
    const int64_t *length;
    bool done;
    int64_t index[ZL_MAX_RANK];  /* the current cell */
    int64_t origin[ZL_MAX_RANK]; /* its first coordinate */
    int64_t extent[ZL_MAX_RANK]; /* its length */
    int64_t last[ZL_MAX_RANK];   /* index of the box's last cell */
} zl_cells;
/* Stands on the first cell, or is done when the box is empty. */
void zl_cells_begin(zl_cells *cells, const zl_box *box, const zl_grid_class *grid, const void *grid_self,
                    const int64_t *length);
void zl_cells_next(zl_cells *cells);

#endif
