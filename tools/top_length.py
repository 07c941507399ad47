#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the longest functions of the C files, to look at: it reports and does not forbid.

usage: tools/top_length.py [-n COUNT] [--over LINES] [FOLDER...]     (default: the 20 longest of src and cli)

Works on the project's layout: a function's opening brace ends a line that starts in column 0, its closing brace
stands alone in column 0.
"""

import argparse
import re
from pathlib import Path

NAME = re.compile(r"(\w+)\s*\(")


def functions(path):
    """(length, first line, name) of every function of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head, start = None, None
    for number, line in enumerate(lines, 1):
        if start is None:
            if line and not line[0].isspace() and line[0] not in "#/*}":
                head = number
            if head is not None and line.endswith("{") and "(" in "".join(lines[head - 1 : number]):
                start = head
        elif line == "}":
            name = NAME.search(" ".join(lines[start - 1 : number]))
            yield number - start + 1, start, name.group(1) if name else "?"
            head = start = None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=20, metavar="COUNT", help="how many to list")
    parser.add_argument("--over", type=int, default=0, metavar="LINES", help="only functions longer than this")
    parser.add_argument("folders", nargs="*", default=["src", "cli"])
    options = parser.parse_args()
    found = [
        (*entry, path)
        for folder in options.folders
        for path in sorted(Path(folder).rglob("*.c"))
        for entry in functions(path)
    ]
    for length, line, name, path in sorted(found, key=lambda entry: -entry[0])[: options.n]:
        if length > options.over:
            print(f"{length:5}  {name}  {path}:{line}")


if __name__ == "__main__":
    main()
