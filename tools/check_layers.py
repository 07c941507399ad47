#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that #include lines only point downwards through the layers of src/ (docs: CONTRIBUTING.md, "Layers").

A folder may include itself, the folders named here, and what those may include in turn, unless FORBIDDEN says otherwise.
Programs outside src/ have their own line. Prints one line per violation; exit status 1 when there is any.
"""

import re
import sys
from pathlib import Path

DIRECT = {
    "api": ["engine", "meta"],
    "engine": ["pipeline", "store", "meta", "grid", "key"],
    "pipeline": ["codec"],
    "meta": ["codec", "dtype", "grid", "key", "json"],
    "codec": ["dtype", "simd", "json"],
    "grid": ["json"],
    "key": ["json"],
    "dtype": ["json", "simd"],
    "store": ["base"],
    "json": ["base"],
    "simd": ["base"],
    "base": [],
}
# Headers of base/ that only these folders may use: threads belong to the engine (and locks to stores).
THREAD_HEADERS = {"base/thread.h"}
THREAD_USERS = {"engine", "store", "base", "api"}
# Programs that show what users can do see nothing but the public headers.
PUBLIC_ONLY = ["cli", "examples"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def reachable(folder):
    """All folders that `folder` may include."""
    seen, todo = {folder, "base"}, [folder]
    while todo:
        for below in DIRECT[todo.pop()]:
            if below not in seen:
                seen.add(below)
                todo.append(below)
    return seen


def includes(path):
    """(line number, name, quoted?) of every #include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(2), match.group(1) == '"'


def check_source(root, path):
    folder = path.relative_to(root / "src").parts[0]
    if folder not in DIRECT:
        yield 0, f"folder src/{folder} has no place among the layers"
        return
    allowed = reachable(folder)
    for number, name, quoted in includes(path):
        if name.startswith("zarrlite/") or not quoted:
            if not quoted and name in ("pthread.h", "threads.h") and folder not in THREAD_USERS:
                yield number, f"{folder}/ must not include <{name}>: it knows nothing of threads"
            continue
        target = name.split("/")[0]
        if "/" not in name:
            yield number, f'"{name}": name it from src/, "{folder}/{name}"'
        elif target not in DIRECT:
            yield number, f'"{name}": src/{target} is not a layer'
        elif target not in allowed:
            yield number, f'{folder}/ must not include {target}/ ("{name}")'
        elif name in THREAD_HEADERS and folder not in THREAD_USERS:
            yield number, f'{folder}/ must not include "{name}": it knows nothing of threads'


def check_public_program(root, path):
    for number, name, quoted in includes(path):
        if name.startswith("zarrlite/") and name != "zarrlite/zarrlite.h":
            yield number, f'"{name}": programs use "zarrlite/zarrlite.h" alone'
        elif quoted and "/" in name and name.split("/")[0] in DIRECT:
            yield number, f'"{name}" belongs to the library\'s inside'


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    jobs = [(path, check_source) for path in sorted((root / "src").rglob("*.[ch]"))]
    for folder in PUBLIC_ONLY:
        jobs += [(path, check_public_program) for path in sorted((root / folder).rglob("*.[ch]"))]
    found = 0
    for path, check in jobs:
        for number, message in check(root, path):
            print(f"{path.relative_to(root)}:{number}: {message}")
            found += 1
    print(f"layers: {len(jobs)} files, {found} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
