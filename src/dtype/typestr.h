/* SPDX-License-Identifier: MIT */
/* Type strings such as "<f8" and "<M8[25us]": how Zarr v2 and the codecs of numcodecs name data types. */
#ifndef ZL_DTYPE_TYPESTR_H
#define ZL_DTYPE_TYPESTR_H

#include "dtype/dtype.h"

/* How the bytes of stored elements are ordered. */
typedef enum zl_byte_order { ZL_ORDER_NONE, ZL_ORDER_LITTLE, ZL_ORDER_BIG, ZL_ORDER_MIXED } zl_byte_order;

typedef struct zl_typestr {
    zl_byte_order order;
    char kind;        /* the letter; 0 where the string is a name */
    uint64_t size;    /* of an element; of a character for 'U' */
    uint64_t count;   /* characters of 'U', otherwise 1 */
    const char *name; /* of the data type, where it has no parameters; otherwise NULL */
    char unit[8];     /* of 'M' and 'm' */
    int32_t scale;
} zl_typestr;

/* False when the text is none, or none with a counterpart here. */
bool zl_typestr_read(const char *text, size_t size, zl_typestr *out);
/* The reverse, for types without parameters: the letter and the size that `name` has. */
bool zl_typestr_find(const char *name, char *kind, uint32_t *size);

#endif
