/* SPDX-License-Identifier: MIT */
#include "output.h"

#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What to do next after a failure of the library, or NULL where its message says it all. */
static const char *hint_for(const zl_error *err) {
    switch (err->status) {
    case ZL_ERR_NOT_FOUND: return "'zarrlite tree STORE' shows what a store holds";
    case ZL_ERR_EXISTS: return "--overwrite replaces what is there";
    case ZL_ERR_CORRUPT: return "other parts of the array can still be read with 'zarrlite get --region'";
    case ZL_ERR_METADATA: return "the metadata does not follow the Zarr specification; the message names the place";
    case ZL_ERR_UNSUPPORTED: return "'zarrlite --version' lists the codecs of this build";
    case ZL_ERR_NO_MEMORY: return "try a smaller --region, smaller chunks or fewer --threads";
    case ZL_ERR_READ_ONLY: return "copy the store to a place that can be written";
    case ZL_ERR_CONFLICT: return "another program is changing this store; try again when it has finished";
    case ZL_ERR_INTERNAL: return "this is a bug in zarrlite, please report it with the command that led to it";
    case ZL_ERR_IO:
        if (err->os_code == EACCES || err->os_code == EPERM) return "check the permissions of the file and its folders";
        if (err->os_code == ENOSPC) return "free some space and run the command again";
        return NULL;
    default: return NULL;
    }
}

static void print_hint(const char *hint) {
    if (hint) fprintf(stderr, "hint: %s\n", hint);
}

int cli_fail(const cli *run, const char *subject, const zl_error *err) {
    if (err->status == ZL_ERR_CANCELLED && cli_interrupted()) {
        fprintf(stderr, "zarrlite: %s: interrupted\n", run->command);
        return CLI_FAILED;
    }
    const char *message = err->message[0] ? err->message : zl_status_text(err->status);
    fprintf(stderr, "zarrlite: %s: %s%s%s\n", run->command, subject ? subject : "", subject ? ": " : "", message);
    print_hint(hint_for(err));
    return CLI_FAILED;
}

int cli_fail_text(const cli *run, const char *hint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "zarrlite: %s: ", run->command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    print_hint(hint);
    return CLI_FAILED;
}

int cli_usage(const cli *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "zarrlite: %s: ", run->command);
    vfprintf(stderr, format, arguments);
    fputs("\nhint: '", stderr);
    fprintf(stderr, run->is_program ? "%s --help" : "zarrlite help %s", run->command);
    fputs("' shows how it is used\n", stderr);
    va_end(arguments);
    return CLI_USAGE;
}

void cli_warn(const cli *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "zarrlite: %s: warning: ", run->command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

zl_status cli_error(zl_error *err, zl_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    err->status = status;
    err->os_code = 0;
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    return status;
}

bool cli_finish_stdout(const cli *run) {
    errno = 0;
    const bool failed_before = ferror(stdout);
    const bool failed_now = fclose(stdout) != 0;
    if (!failed_before && !failed_now) return true;
    if (errno != EPIPE) { /* the reader has gone: it knows */
        fprintf(stderr, "zarrlite: %s: cannot write to standard output: %s\n", run->command,
                errno ? strerror(errno) : "write error");
    }
    return false;
}

cli_text cli_size_text(uint64_t size) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    cli_text text;
    double value = (double)size;
    size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) { /* what would be printed as 1024.0 */
        value /= 1024;
        unit++;
    }
    snprintf(text.data, sizeof text.data, "%.*f %s", unit ? 1 : 0, value, units[unit]);
    return text;
}

cli_text cli_ratio_text(uint64_t raw, uint64_t stored) {
    cli_text text = {"-"};
    if (stored) snprintf(text.data, sizeof text.data, "%.2fx", (double)raw / (double)stored);
    return text;
}

char *cli_shape_text(int32_t rank, const int64_t *shape) {
    if (!shape) return cli_copy("-", 1);
    if (rank == 0) return cli_copy("scalar", 6);
    char *text = cli_malloc((size_t)rank * 21 + 1);
    size_t size = 0;
    for (int32_t axis = 0; axis < rank; axis++) {
        size += (size_t)sprintf(text + size, "%s%" PRId64, axis ? "x" : "", shape[axis]);
    }
    return text;
}

bool cli_is_utf8(void) {
    setlocale(LC_CTYPE, ""); /* the character set only: numbers stay as they are in the C locale */
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
