/* SPDX-License-Identifier: MIT */
/* The helper's commands; the tool has the same names and starts the helper for them. */
#ifndef ZARRLITE_CLI_NC_COMMANDS_H
#define ZARRLITE_CLI_NC_COMMANDS_H

#include "cli.h"

extern const cli_command nc_command_import;
extern const cli_command nc_command_compare;
extern const cli_command nc_command_export;

#endif
