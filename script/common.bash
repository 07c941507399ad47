# SPDX-License-Identifier: MIT
# What the scripts of this folder share; sourced, not run.
# shellcheck shell=bash

# shellcheck disable=SC2034 # the scripts that source this file use it
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*"; }
step() { printf '\n==> %s\n' "$*"; }
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Prints the comment behind the SPDX line at the head of the running script, which is its help text.
usage() { sed -n '3,/^[^#]/{s/^# \{0,1\}//p;}' "$0"; }

# More jobs than processors only cost memory.
jobs() { nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2; }

# as_root COMMAND...: directly for root, else with sudo, which may ask for a password only on a terminal.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif ! have sudo; then
        die "not root and there is no sudo: please run as root: $*"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# Prints the newest Python that can make virtual environments: one named by PYTHON, of the system, or of pyenv.
find_python() {
    local python
    for python in ${PYTHON:+"$PYTHON"} python3.14 python3.13 python3.12 \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3 python3; do
        "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 && say "$python" && return
    done
    die "no Python with venv and ensurepip was found"
}
