/* SPDX-License-Identifier: MIT */
#ifndef ZARRLITE_CLI_IMPORT_NPY_H
#define ZARRLITE_CLI_IMPORT_NPY_H

#include "import.h"

/* Imports a .npy file as one array. An exit status. */
int cli_import_npy(cli *run, const cli_import_options *given, const char *source, const char *store);

#endif
