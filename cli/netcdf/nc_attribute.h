/* SPDX-License-Identifier: MIT */
/* One NetCDF attribute, and how it stands in a Zarr attribute: text as a string, one number as a number, several as a list.
 * docs/cli.md describes the mapping. With the type's name beside it the mapping loses nothing, NaN payloads included. */
#ifndef ZARRLITE_CLI_NC_ATTRIBUTE_H
#define ZARRLITE_CLI_NC_ATTRIBUTE_H

#include "json_out.h"
#include "json_scan.h"
#include "nc_type.h"

typedef struct nc_attribute {
    char name[NC_MAX_NAME + 1];
    const nc_type_facts *type; /* NULL: user-defined, and nothing was read */
    size_t count;
    void *data; /* elements; char * each for strings */
} nc_attribute;

/* Reads attribute `index` of a variable, or of the group itself with NC_GLOBAL. */
zl_status nc_attribute_read(nc_attribute *out, int group, int variable, int index, zl_error *err);
void nc_attribute_clear(nc_attribute *attribute);

/* Where an attribute stands decides how a `_FillValue` is written. */
typedef enum nc_place { NC_ON_GROUP, NC_ON_FLOATS, NC_ON_CHARS, NC_ON_OTHERS } nc_place;
nc_place nc_place_of(const nc_type_facts *variable_type);

/* Writes the value as JSON. */
void nc_attribute_write(cli_json *json, const nc_attribute *attribute, nc_place place);
/* The name that keeps the type: CDL's, with ":latin1" behind it for text that is not UTF-8. */
const char *nc_attribute_type_name(const nc_attribute *attribute);
/* Writes a `_FillValue` as the fill value of the variable's array. False when it is not one value of the variable's type.
 */
bool nc_attribute_write_fill(cli_json *json, const nc_attribute *attribute, const nc_type_facts *variable_type);

/* Reads back what nc_attribute_write wrote, as `type_name` (a name of nc_attribute_type_name) says. False for values that
 * are none of that type; nothing is to be cleared then. */
bool nc_attribute_parse(nc_attribute *out, const char *name, const char *type_name, nc_place place, cli_value value);
/* The same for a value whose type nobody recorded: text, one kind of numbers, a list of either; everything else becomes the
 * text of its JSON. False for names that are too long. */
bool nc_attribute_infer(nc_attribute *out, const char *name, cli_value value);
/* The same elements of the same type? Bits are compared. */
bool nc_attribute_equals(const nc_attribute *a, const nc_attribute *b);

#endif
