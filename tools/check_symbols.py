#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the shared library exports the ZL_API declarations of the public headers, and nothing else.

usage: tools/check_symbols.py LIBRARY [NM]
"""

import re
import subprocess
import sys
from pathlib import Path

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FUNCTION = re.compile(r"(\bzl_\w+)\s*\(")
VARIABLE = re.compile(r"(\bzl_\w+)\s*(?:\[[^\]]*\])?\s*;")
# What linkers and sanitizers put into a shared library on their own.
LINKER_NAMES = {"_init", "_fini", "_edata", "_end", "__bss_start"}


def declared(folder):
    """Names that the headers of `folder` declare with ZL_API."""
    names = set()
    for header in sorted(folder.glob("*.h")):
        text = COMMENT.sub(" ", header.read_text(encoding="utf-8"))
        text = re.sub(r"^\s*#.*(?:\\\n.*)*", "", text, flags=re.MULTILINE)
        for declaration in re.findall(r"\bZL_API\b([^;]*;)", text):
            match = FUNCTION.search(declaration) or VARIABLE.search(declaration)
            if match is None:
                sys.exit(f"{header}: cannot read the declaration {' '.join(declaration.split())}")
            names.add(match.group(1))
    return names


def exported(library, nm):
    """Defined dynamic symbols of `library`, without a leading underscore on systems that add one."""
    command = [nm, "-gU", library] if sys.platform == "darwin" else [nm, "-D", "--defined-only", library]
    names = {line.split()[-1].split("@")[0] for line in subprocess.check_output(command, text=True).splitlines()}
    if sys.platform == "darwin":
        names = {name[1:] for name in names}
    return names - LINKER_NAMES


def main():
    library, nm = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "nm"
    wanted = declared(Path(__file__).resolve().parent.parent / "include" / "zarrlite")
    found = exported(library, nm)
    for name in sorted(found - wanted):
        print(f"{name}: exported, but no public header declares it with ZL_API")
    for name in sorted(wanted - found):
        print(f"{name}: declared with ZL_API, but not exported")
    print(f"symbols: {len(found)} exported, {len(wanted)} declared")
    return 1 if found != wanted else 0


if __name__ == "__main__":
    sys.exit(main())
