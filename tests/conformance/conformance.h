/* SPDX-License-Identifier: MIT */
/*
 * Conformance driver: reads stores that other implementations wrote, and cases of old bugs and hostile input, through the
 * public interface alone (json/json.h reads the corpus's own files). README.md describes the sets and their verdicts.
 *
 * Every row runs in a process of its own, so that a crash, a hang or a memory blow-up fails one row and not the rest. What
 * a row's process allocates for itself is freed by its end; the library's memory is counted and must be given back.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "zarrlite/zarrlite.h"
#include "json/json.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CT_SANITIZED 1
#endif
#endif
#ifndef CT_SANITIZED
#define CT_SANITIZED 0
#endif

#define CT_MAX_RANK 32

/* ---- verdict.c: what became of a row, and the table at the end */

typedef enum ct_outcome {
    CT_PASS,
    CT_FAIL,
    CT_PENDING,   /* needs a name on the list in pending.c */
    CT_NOT_BUILT, /* needs a codec this build was made without */
    CT_QUIRK,     /* not conforming data: read or refused, both are fine */
    CT_DISPUTED,  /* known_disagreements.tsv says why the corpus is wrong */
    CT_OUTCOME_COUNT
} ct_outcome;

typedef struct ct_verdict {
    ct_outcome outcome;
    bool crashed;    /* a failure that nothing excuses: a signal, a hang, too much memory */
    int32_t pending; /* index into the list of pending names, -1 = none */
    char message[1000];
} ct_verdict;

/* Records a failure, unless one is recorded already. Returns false, so that checks can be chained. */
bool ct_fail(ct_verdict *verdict, const char *format, ...) ZL_PRINTF(2, 3);
/* The same with the status and message of a failed call. */
bool ct_fail_error(ct_verdict *verdict, const char *what, const zl_error *err);

typedef struct ct_report ct_report;
/* `known` may be NULL: a file of lines "set, tab, row, tab, reason". */
ct_report *ct_report_new(const char *set, const char *known);
/* Prints what is not a pass and counts it. May turn the verdict into CT_DISPUTED. */
void ct_report_add(ct_report *report, const char *kind, const char *row, ct_verdict *verdict);
/* Prints the table. True when nothing failed and the number of pending rows is the recorded one. */
bool ct_report_finish(ct_report *report, bool complete);

/* ---- files.c: paths and files; all abort the process when memory or a file of the corpus is missing */

void *ct_alloc(size_t size);
char *ct_text(const char *format, ...) ZL_PRINTF(1, 2);
bool ct_exists(const char *path);
/* All bytes of a file with a NUL byte behind them. */
char *ct_read_file(const char *path, size_t *size);
/* Cuts `line` at its tabs; returns the number of fields, at most `max`. */
int32_t ct_split(char *line, char **fields, int32_t max);
/* The next line of a text that is cut at its line ends, or NULL. Skips empty lines and those that start with "#". */
char *ct_next_line(char **text);
/* Parses a JSON file. */
const zl_json *ct_parse_file(const char *path);
/* Copies the files and folders below `from`. Other kinds are left out. */
void ct_copy_tree(const char *from, const char *to);
/* A new folder below the working directory, and its end. */
char *ct_temporary_new(void);
void ct_temporary_remove(const char *path);

/* ---- process.c */

typedef void (*ct_row_fn)(const void *row, ct_verdict *verdict);
typedef struct ct_bounds {
    int64_t seconds;
    int64_t rss_mb; /* peak memory on top of a process that does nothing; 0 = any */
} ct_bounds;
/* Runs `fn` in a process of its own. A signal, a non-zero exit status and exceeded bounds are failures. */
void ct_run(ct_row_fn fn, const void *row, const ct_bounds *bounds, ct_verdict *verdict);

/* ---- session.c: a context, a store, and a count of the library's memory */

typedef struct ct_session {
    zl_context *context;
    zl_store *store;
} ct_session;
zl_status ct_session_open(ct_session *session, const char *path, bool writable, zl_error *err);
/* Fails when the library has not given back all memory. */
void ct_session_close(ct_session *session, ct_verdict *verdict);

/* ---- content.c: the elements a read has to give */

typedef struct ct_box {
    int32_t rank;
    int64_t start[CT_MAX_RANK];
    int64_t shape[CT_MAX_RANK];
    int64_t step[CT_MAX_RANK];
} ct_box;
ct_box ct_box_of_array(const zl_array *array);

typedef struct ct_content {
    ct_box box;          /* the part of the array it describes, in C order */
    size_t element_size; /* 0 = variable length */
    const uint8_t *bytes;
    const zl_slot *slots;
} ct_content;
/* From raw bytes, as README.md of the corpus says, for an array of the opened type. */
bool ct_content_from_bytes(ct_content *out, const zl_array *array, const ct_box *box, const char *bytes, size_t size,
                           ct_verdict *verdict);
/* From a JSON list of strings and {"base64": text}. */
bool ct_content_from_json(ct_content *out, const zl_array *array, const ct_box *box, const zl_json *list,
                          ct_verdict *verdict);

typedef struct ct_read {
    const char *what; /* names the read in messages */
    ct_box box;
    bool reversed; /* into memory in Fortran order whose first axis runs backwards */
    int32_t threads;
} ct_read;
/* Reads a box and compares. `expected` NULL: reads only. The read's own failure is returned and recorded nowhere. */
zl_status ct_read_and_compare(const ct_session *session, const zl_array *array, const ct_read *read,
                              const ct_content *expected, ct_verdict *verdict, zl_error *err);
/* Compares the whole content by several reads: whole, reversed, a part, every second element. */
bool ct_compare_all(const ct_session *session, const zl_array *array, const ct_content *expected, ct_verdict *verdict);

/* ---- pending.c: what is known to be missing */

/* Turns a refusal as unsupported into its verdict: pending, not built, or a failure when nothing explains it. */
void ct_judge_unsupported(ct_verdict *verdict, const char *store, const char *node, const zl_error *err);
/* Is this feature ("zip store") pending? Then records it. */
bool ct_feature_is_pending(ct_verdict *verdict, const char *feature);
size_t ct_pending_count(void);
const char *ct_pending_name(size_t index);
const char *ct_pending_reason(size_t index);
/* Rows of a set that are pending: the number that may only go down. */
int32_t ct_pending_rows(const char *set);

/* ---- the sets: every row of an index. `only` (may be NULL) is a part of the names of the rows to run. */

void ct_run_rows(const char *folder, const char *only, ct_report *report);
void ct_run_cases(const char *folder, const char *only, ct_report *report);

/* ---- steps.c */

/* Performs the operations of a case's steps.json on a copy of its store below the working directory. */
void ct_run_steps(const char *folder, ct_verdict *verdict);

#endif
