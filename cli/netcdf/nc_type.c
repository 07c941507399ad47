/* SPDX-License-Identifier: MIT */
#include "nc_type.h"

#include <string.h>

/* char: text in bytes of no declared encoding. Zarr strings would need one, so its elements stay bytes. */
static const nc_type_facts types[] = {
    {NC_BYTE, "byte", ZL_DTYPE_INT8, 1},       {NC_CHAR, "char", ZL_DTYPE_UINT8, 1},
    {NC_SHORT, "short", ZL_DTYPE_INT16, 2},    {NC_INT, "int", ZL_DTYPE_INT32, 4},
    {NC_FLOAT, "float", ZL_DTYPE_FLOAT32, 4},  {NC_DOUBLE, "double", ZL_DTYPE_FLOAT64, 8},
    {NC_UBYTE, "ubyte", ZL_DTYPE_UINT8, 1},    {NC_USHORT, "ushort", ZL_DTYPE_UINT16, 2},
    {NC_UINT, "uint", ZL_DTYPE_UINT32, 4},     {NC_INT64, "int64", ZL_DTYPE_INT64, 8},
    {NC_UINT64, "uint64", ZL_DTYPE_UINT64, 8}, {NC_STRING, "string", ZL_DTYPE_STRING, sizeof(char *)},
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

const nc_type_facts *nc_type_find(nc_type type) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].type == type) return &types[i];
    }
    return NULL;
}

const nc_type_facts *nc_type_named(const char *name) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) return &types[i];
    }
    return NULL;
}

const nc_type_facts *nc_type_of(zl_dtype_id dtype) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].dtype == dtype) return &types[i];
    }
    return NULL;
}
