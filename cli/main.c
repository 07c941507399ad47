/* SPDX-License-Identifier: MIT */
/* The tool's entry: finds the command, and answers --help and --version itself. */
#include "cli.h"
#include "json_out.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

#define CLI_COMMAND(name) extern const cli_command cli_command_##name;
#include "command_list.h"
#undef CLI_COMMAND

static const cli_command *const commands[] = {
#define CLI_COMMAND(name) &cli_command_##name,
#include "command_list.h"
#undef CLI_COMMAND
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static const cli_command *find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    }
    return NULL;
}

static void print_overview(FILE *file) {
    fputs("Usage: zarrlite COMMAND [OPTIONS] ...\n\nReads and writes Zarr arrays.\n\nCommands:\n", file);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(file, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\n'zarrlite help COMMAND' shows the options of one command.\n"
          "Exit status: 0 all went well, 1 something failed, 2 wrong use.\n",
          file);
}

static void print_version(void) {
    printf("zarrlite %s\ncodecs:", zl_version());
    const char *name;
    for (size_t i = 0; (name = zl_codec_name(i)) != NULL; i++) {
        if (zl_codec_available(name) == ZL_AVAILABLE) printf(" %s", name);
    }
    printf("\nnot in this build:");
    size_t missing = 0;
    for (size_t i = 0; (name = zl_codec_name(i)) != NULL; i++) {
        if (zl_codec_available(name) != ZL_AVAILABLE) missing += printf(" %s", name) > 0;
    }
    printf("%s\n", missing ? "" : " none");
}

static void write_codecs(cli_json *json, const char *key, zl_availability availability) {
    const char *name;
    cli_json_key(json, key), cli_json_open(json, '[');
    for (size_t i = 0; (name = zl_codec_name(i)) != NULL; i++) {
        if (zl_codec_available(name) == availability) cli_json_string(json, name);
    }
    cli_json_close(json, ']');
}

/* The two versions differ only where the tool is linked to a shared library of another build. */
static void print_version_json(void) {
    cli_json json = {0};
    cli_json_open(&json, '{');
    cli_json_key(&json, "version"), cli_json_string(&json, ZL_VERSION_STRING);
    cli_json_key(&json, "library_version"), cli_json_string(&json, zl_version());
    write_codecs(&json, "codecs", ZL_AVAILABLE);
    write_codecs(&json, "codecs_not_built", ZL_KNOWN_NOT_BUILT);
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

static int version(const char *option) {
    if (!option) {
        print_version();
    } else if (strcmp(option, "--json") == 0) {
        print_version_json();
    } else {
        fprintf(stderr, "zarrlite: --version goes with --json only, not '%s'\n", option);
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int unknown_command(const char *name) {
    fprintf(stderr, "zarrlite: unknown command '%s'\nhint: 'zarrlite --help' lists the commands\n", name);
    return CLI_USAGE;
}

static int help(const char *name) {
    if (!name) {
        print_overview(stdout);
        return CLI_OK;
    }
    const cli_command *command = find(name);
    if (!command) return unknown_command(name);
    cli_print_help(command);
    return CLI_OK;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    const cli_command *command = find(name);
    if (command) return cli_run(command, argc - 1, argv + 1);
    int status = CLI_OK;
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        status = help(argv[2]);
    } else if (strcmp(name, "--version") == 0) {
        status = version(argv[2]);
    } else {
        return unknown_command(name);
    }
    const cli run = {.command = "help"};
    return cli_finish_stdout(&run) ? status : CLI_FAILED;
}
