/* SPDX-License-Identifier: MIT */
/* NetCDF's atomic types, and what becomes of them. */
#ifndef ZARRLITE_CLI_NC_TYPE_H
#define ZARRLITE_CLI_NC_TYPE_H

#include "cli.h"

#include <netcdf.h>

/* Attribute that keeps what Zarr metadata has no words for: NetCDF types, dimensions, the kind of file. */
#define NC_RECORD "_zarrlite_netcdf"
/* Attribute by which version 2 of Zarr names dimensions. */
#define NC_V2_DIMENSIONS "_ARRAY_DIMENSIONS"

typedef struct nc_type_facts {
    nc_type type;
    const char *name; /* as in CDL */
    zl_dtype_id dtype;
    size_t size; /* of an element, of a char * for strings */
} nc_type_facts;

/* The facts of an atomic type, or NULL: a user-defined one. */
const nc_type_facts *nc_type_find(nc_type type);
const nc_type_facts *nc_type_named(const char *name);
/* The type whose elements are those of a Zarr type, or NULL; the first of several. */
const nc_type_facts *nc_type_of(zl_dtype_id dtype);

#endif
