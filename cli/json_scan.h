/* SPDX-License-Identifier: MIT */
/* Walks JSON text that the library has read already: metadata documents and attributes. Nothing is checked again, but no
 * input makes it read outside the text. */
#ifndef ZARRLITE_CLI_JSON_SCAN_H
#define ZARRLITE_CLI_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* The exact text of one value, without white space around it. Borrowed from the document. */
typedef struct cli_value {
    const char *text;
    size_t size;
} cli_value;

/* The whole document. */
cli_value cli_value_of(const char *text, size_t size);

/* Position in an array or object; start with `.at = NULL`. */
typedef struct cli_value_iter {
    const char *at;
    cli_value key; /* of the member, quotes included; empty for elements */
    cli_value value;
} cli_value_iter;
/* Next element or member; false at the end, and for other values than arrays and objects. */
bool cli_value_next(cli_value container, cli_value_iter *iter);

/* The member `key` of an object; false when there is none. */
bool cli_value_member(cli_value object, const char *key, cli_value *out);
/* Is it exactly this JSON text? */
bool cli_value_is(cli_value value, const char *text);
/* Decoded text of a string, with a NUL byte behind it that `size` does not count (`size` may be NULL); NULL for other
 * values. Free with free(). */
char *cli_value_string(cli_value value, size_t *size);

/* Are these the same JSON value, white space aside? Keys must have the same order. */
bool cli_value_equal(cli_value a, cli_value b);

#endif
