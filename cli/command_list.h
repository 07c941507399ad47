/* SPDX-License-Identifier: MIT */
/* Every subcommand, one line each, in the order of the help: CLI_COMMAND(name) stands for cmd_<name>.c. */
CLI_COMMAND(info)
CLI_COMMAND(tree)
CLI_COMMAND(ls)
CLI_COMMAND(get)
CLI_COMMAND(put)
CLI_COMMAND(create)
CLI_COMMAND(attrs)
CLI_COMMAND(rm)
CLI_COMMAND(copy)
CLI_COMMAND(import)
CLI_COMMAND(export)
CLI_COMMAND(compare)
