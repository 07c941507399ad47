/* SPDX-License-Identifier: MIT */
/*
 * From raw bytes to valid elements, in place: byte order first, then the rule of each unit. All of it is idempotent but the
 * swap, which is its own inverse.
 */
#include "dtype/dtype.h"
#include "dtype/family.h"

/* Constant widths let the compiler turn each case into vector code. */
static void swap_units(uint8_t *at, size_t width, size_t count) {
    switch (width) {
    case 2:
        for (size_t i = 0; i < count; i++) {
            zl_store_unit(at + 2 * i, 2, __builtin_bswap16((uint16_t)zl_load_unit(at + 2 * i, 2)));
        }
        break;
    case 4:
        for (size_t i = 0; i < count; i++) {
            zl_store_unit(at + 4 * i, 4, __builtin_bswap32((uint32_t)zl_load_unit(at + 4 * i, 4)));
        }
        break;
    case 8:
        for (size_t i = 0; i < count; i++) {
            zl_store_unit(at + 8 * i, 8, __builtin_bswap64(zl_load_unit(at + 8 * i, 8)));
        }
        break;
    default: break;
    }
}

static uint64_t put_right(uint64_t value, zl_unit_rule rule, unsigned bits) {
    switch (rule) {
    case ZL_UNIT_BOOL: return value != 0;
    case ZL_UNIT_ZERO_EXTEND: return value & (UINT64_MAX >> (64 - bits));
    case ZL_UNIT_SIGN_EXTEND: return (uint64_t)zl_sign_extend(value, bits);
    case ZL_UNIT_PLAIN: break;
    }
    return value;
}

static inline void apply_rule(uint8_t *at, size_t width, size_t count, zl_unit_rule rule, unsigned bits) {
    for (size_t i = 0; i < count; i++) {
        zl_store_unit(at + width * i, width, put_right(zl_load_unit(at + width * i, width), rule, bits));
    }
}

static void fix_units(const zl_unit *unit, bool swap, uint8_t *at, size_t count) {
    if (swap) swap_units(at, unit->width, count);
    if (unit->rule == ZL_UNIT_PLAIN) return;
    if (unit->width == 1) { /* all built-in types with a rule: a loop of its own, for its constant width */
        apply_rule(at, 1, count, (zl_unit_rule)unit->rule, unit->bits);
    } else {
        apply_rule(at, unit->width, count, (zl_unit_rule)unit->rule, unit->bits);
    }
}

void zl_dtype_fix(const zl_dtype *dtype, bool swap, void *elements, size_t count) {
    if (!zl_dtype_needs_fix(dtype, swap)) return;
    uint8_t *first = elements;
    const zl_unit *unit = dtype->units;
    if (dtype->unit_count == 1 && (uint64_t)unit->count * unit->width == dtype->size) {
        fix_units(unit, swap, first, count * unit->count);
        return;
    }
    for (uint32_t u = 0; u < dtype->unit_count; u++, unit++) {
        for (size_t i = 0; i < count; i++) {
            fix_units(unit, swap, first + i * dtype->size + unit->offset, unit->count);
        }
    }
}

bool zl_dtype_needs_fix(const zl_dtype *dtype, bool swap) {
    for (uint32_t u = 0; u < dtype->unit_count; u++) {
        const zl_unit *unit = &dtype->units[u];
        if (unit->rule != ZL_UNIT_PLAIN || (swap && unit->width > 1)) return true;
    }
    return false;
}

uint32_t zl_dtype_plain_width(const zl_dtype *dtype) {
    uint64_t covered = 0;
    for (uint32_t u = 0; u < dtype->unit_count; u++) {
        const zl_unit *unit = &dtype->units[u];
        if (unit->rule != ZL_UNIT_PLAIN || unit->width != dtype->units[0].width || unit->offset != covered) return 0;
        covered += (uint64_t)unit->count * unit->width;
    }
    return dtype->unit_count > 0 && covered == dtype->size ? dtype->units[0].width : 0;
}
