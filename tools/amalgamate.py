#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the whole library as two files, zarrlite.c and zarrlite.h, for programs that want to compile it in.

usage: tools/amalgamate.py FOLDER

Optional libraries are off unless their macro is set: cc -DZL_HAVE_ZSTD=1 zarrlite.c program.c -lzstd -lm -lpthread

Many small files become one translation unit, so names that are private to a file (static functions and objects, local
types, enumerators) get the file's name added where another file uses the same name. Members keep theirs: a name behind
"." or "->" is left alone.
"""

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"[^\n]*$', re.MULTILINE)
TOKEN = re.compile(r'#[ \t]*include[ \t]*<[^>]*>|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?:(?:\.|->)\s*)?\b[A-Za-z_]\w*', re.DOTALL)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')


def folder_order():
    """Lower layers first, as the layer check has them."""
    return ["base", "json", "simd", "dtype", "codec", "grid", "key", "meta", "store", "pipeline", "engine", "api"]


def source_files():
    folders = folder_order()
    known = {folder.name for folder in SRC.iterdir() if folder.is_dir()}
    if known != set(folders):
        sys.exit(f"tools/amalgamate.py: folders of src/ are {sorted(known)}, folder_order() knows {sorted(folders)}")
    return [path for folder in folders for path in sorted((SRC / folder).glob("*.c"))]


def condition_of(path):
    """Which macro must be 1 for a file to be compiled: that of its codec, <symbol>.c and <symbol>_*.c; None = always."""
    if path.parent.name == "store" and (path.stem == "zip" or path.stem.startswith("zip_")):
        return "ZL_HAVE_ZIP"
    if path.parent.name != "codec":
        return None
    rows = re.findall(r"^ZL_CODEC\((\w+), *(\w+)", (SRC / "codec/codec_list.h").read_text(encoding="utf-8"), re.MULTILINE)
    for symbol, have in rows:
        if have.startswith("ZL_HAVE_") and (path.stem == symbol or path.stem.startswith(symbol + "_")):
            return have
    return None


def all_switches():
    text = "".join(path.read_text(encoding="utf-8") for path in SRC.rglob("*.[ch]"))
    return sorted(set(re.findall(r"\bZL_HAVE_[A-Z0-9_]+\b", text)))


def private_names(text):
    """Names at file scope that only this file sees, as (types, values): not macros, which are undefined at its end."""
    text = LITERAL.sub("0", COMMENT.sub(" ", text))  # braces in characters are no blocks
    macros = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    types, values = set(), set()
    depth, start = 0, 0
    for at, char in enumerate(text):  # split at file scope
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
        if depth == 0 and char in ";}":
            found = declared(text[start : at + 1])
            types |= found[0]
            values |= found[1]
            if char == ";" or text[at + 1 : at + 40].lstrip()[:1] not in (";", "") and not ends_declaration(text[at + 1 :]):
                start = at + 1
    return types - macros, values - macros


def ends_declaration(rest):
    """Does a declarator follow the closing brace, as in `} name;`?"""
    return re.match(r"\s*(\w+|[\[=,])\s*(\[[^\]]*\])?\s*[;=,]", rest) is not None


def declared(piece):
    """Names that one piece of file-scope text declares privately."""
    piece = re.sub(r"^\s*(?:[A-Z][A-Z_0-9]*\([^;{}]*?\)\s+)+", "", piece)  # macros that define things stand without ";"
    head = re.sub(r"^[A-Z_]+\s+(?=static\b)", "", piece.split("{", 1)[0].strip())  # TARGET static
    types = set(re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*$", head)) if "{" in piece else set()
    values = set()
    if head.startswith("typedef"):
        match = re.search(r"\(\*(\w+)\)\s*\(", head) or re.search(r"(\w+)\s*;\s*$", piece)
        types |= {match.group(1)} if match else set()
    if re.match(r"^(?:typedef\s+)?enum\b", head) and "{" in piece:
        body = piece.split("{", 1)[1].rsplit("}", 1)[0]
        values |= set(re.findall(r"(?:^|,)\s*(\w+)", body))
    if head.startswith("static"):
        plain = re.sub(r"__attribute__\s*\(\(.*?\)\)|\bZL_\w+\([^()]*\)", " ", head)
        if re.search(r"\b(struct|union|enum)(\s+\w+)?$", plain):  # the type is spelled out: the name stands behind it
            plain = re.sub(r"\{[^{}]*\}", " ", piece, count=1)
        match = re.search(r"\b(\w+)\s*(?:\(|\[|=|;|$)", re.sub(r"\b(static|inline|const|struct|union|enum)\b", " ", plain))
        values |= {match.group(1)} if match else set()

    def private(names):
        return {name for name in names if not name.startswith(("zl_", "ZL_"))}

    return private(types), private(values)


TYPE_USE = re.compile(r"\s*[\w*{]")  # what stands behind the name of a type, and not behind that of a member
BODY = re.compile(r"\b(?:struct|union)\b[ \t]*\w*\s*\{")


def struct_bodies(text):
    """Spans of the member lists in a text: members keep their names."""
    spans = []
    for match in BODY.finditer(text):
        depth, at = 1, match.end()
        while depth and at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        if not spans or match.start() >= spans[-1][1]:
            spans.append((match.end(), at))
    return spans


def pasted(text):
    """Words that macros of the file paste into others: their file keeps them, so that the results keep their names."""
    macros = re.findall(r"^#define (\w+)\((?:.*\\\n)*.*##", text, re.MULTILINE)
    calls = re.findall(r"^(?:%s)\(([^;{}]*?)\)" % "|".join(macros), text, re.MULTILINE) if macros else []
    return {word for arguments in calls for word in re.findall(r"\w+", arguments)}


def pasted_functions(text):
    """Beginnings of names of private functions that macros define: encode_ of `static void encode_##type(`."""
    return set(re.findall(r"^\s*static [^(;]*?\b(\w+_)##\w+\(", text, re.MULTILINE))


def separate_pasted(text, clashing, suffix):
    """Adds the suffix to functions that macros define and other files define too; returns the text and their names."""
    for prefix in clashing:
        text = re.sub(rf"\b{prefix}##(\w+)\b(?!##)", rf"{prefix}##\1##_{suffix}", text)
    return text, {prefix + word for prefix in clashing for word in pasted(text)}


def rename(text, names, suffix):
    """`names` is (types, values)."""

    def replace(part, chosen, types_only=False):
        def one(match):
            token = match.group(0)
            if token not in chosen or (types_only and not TYPE_USE.match(part, match.end())):
                return token
            return f"{token}_{suffix}"

        return TOKEN.sub(one, part)

    out, at = [], 0
    for start, end in struct_bodies(text):
        out.append(replace(text[at:start], names[0] | names[1]))
        out.append(replace(text[start:end], names[0], types_only=True))
        at = end
    return "".join(out) + replace(text[at:], names[0] | names[1])


NOTHING = (frozenset(), frozenset())


class Writer:
    def __init__(self):
        self.seen = set()
        self.out = []

    def headers(self, text):
        """Guarded headers that a text includes, once each: in front of it, since an include may stand in a condition."""
        for name in INCLUDE.findall(text):
            if name.startswith("zarrlite/") or name in self.seen:
                continue
            body = (SRC / name).read_text(encoding="utf-8")
            guarded = re.search(r"^#ifndef (ZL_\w+_H)\b", body, re.MULTILINE)
            if guarded:
                self.seen.add(name)
            self.headers(body)
            if guarded:
                condition = condition_of(SRC / name)  # it may include the header of a library
                self.out.append(f"#if {condition}\n" if condition else "")
                self.inline(body, NOTHING, "")
                self.out.append("#endif\n" if condition else "")

    def inline(self, text, names, suffix):
        """The text with templates (headers without a guard) in place of their includes, every time."""
        at = 0
        for match in INCLUDE.finditer(text):
            self.out.append(rename(text[at : match.start()], names, suffix))
            at = match.end()
            if match.group(1) not in self.seen and not match.group(1).startswith("zarrlite/"):
                self.inline((SRC / match.group(1)).read_text(encoding="utf-8"), names, suffix)
        self.out.append(rename(text[at:], names, suffix))


def parts_of_one_file():
    """Headers without a guard that one file includes, and no other: names at their file scope are those of that file."""
    including = Counter(name for path in SRC.rglob("*.[ch]") for name in set(INCLUDE.findall(path.read_text(encoding="utf-8"))))
    return {name for name, count in including.items()
            if count == 1 and name.endswith(".h") and not name.startswith("zarrlite/")
            and not re.search(r"^#ifndef ZL_\w+_H\b", (SRC / name).read_text(encoding="utf-8"), re.MULTILINE)}


def with_parts(text, parts):
    def one(match):
        return with_parts((SRC / match.group(1)).read_text(encoding="utf-8"), parts) if match.group(1) in parts else match.group(0)

    return INCLUDE.sub(one, text)


def public_header():
    parts = []
    for name in ("zarrlite.h", "extend.h"):
        text = (ROOT / "include/zarrlite" / name).read_text(encoding="utf-8")
        parts.append(re.sub(r'^#include "zarrlite/zarrlite.h"\n', "", text, flags=re.MULTILINE))
    return "\n".join(parts)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    parts = parts_of_one_file()
    files = {path: with_parts(path.read_text(encoding="utf-8"), parts) for path in source_files()}
    private = {path: private_names(text) for path, text in files.items()}
    uses = Counter(name for types, values in private.values() for name in types | values)
    by_macro = Counter(prefix for text in files.values() for prefix in pasted_functions(text))
    headers = "".join(path.read_text(encoding="utf-8") for path in SRC.rglob("*.h") if str(path.relative_to(SRC)) not in parts)
    everything = set(re.findall(r"\b[A-Za-z_]\w*\b", LITERAL.sub(" ", COMMENT.sub(" ", headers))))

    writer = Writer()
    writer.out.append("/* SPDX-License-Identifier: MIT */\n/* All of zarrlite, made by tools/amalgamate.py. */\n")
    writer.out.append("#define _GNU_SOURCE\n#define _FILE_OFFSET_BITS 64\n")
    writer.out.append('#ifdef __clang__\n#pragma clang diagnostic ignored "-Wunused-function"\n#endif\n')
    for switch in all_switches():
        writer.out.append(f"#ifndef {switch}\n#define {switch} 0\n#endif\n")
    writer.out.append('#include "zarrlite.h"\n')
    for path, text in files.items():
        suffix = f"{path.parent.name}_{path.stem}"
        own = set().union(*private_names(path.read_text(encoding="utf-8")))
        shared = {name for names in private[path] for name in names if uses[name] > 1 or name in everything & own}
        types, values = (names & shared - pasted(text) for names in private[path])
        text, made = separate_pasted(text, {p for p in pasted_functions(text) if by_macro[p] > 1}, suffix)
        clashing = (types, values | made)
        condition = condition_of(path)
        text = re.sub(r"^#define _GNU_SOURCE.*\n", "", text, flags=re.MULTILINE)
        writer.headers(text)
        writer.out.append(f"\n/* ---- {path.relative_to(ROOT)} */\n")
        if condition:
            writer.out.append(f"#if {condition}\n")
        writer.inline(text, clashing, suffix)
        for macro in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE):
            writer.out.append(f"#undef {macro}\n")
        if condition:
            writer.out.append("#endif\n")
    (folder / "zarrlite.c").write_text("".join(writer.out), encoding="utf-8")
    (folder / "zarrlite.h").write_text(public_header(), encoding="utf-8")


if __name__ == "__main__":
    main()
