# SPDX-License-Identifier: MIT
# How output looks: json, text, npy, tables; and that it does not depend on the locale.
. "$(dirname "$0")/lib.sh"

ok create --shape 2,2,2 --dtype float32 --attrs '{"units": "K", "n": 3}' a.zarr
printf '\0\0\0\077\0\0\300\077\0\0\0\100\0\0\0\300\0\0\200\177\0\0\200\377\0\0\300\177\0\0\0\0' >a.raw
ok put a.zarr a.raw
ok get a.zarr --format text
cat >wanted <<'END'
0.5 1.5
2.0 -2.0

Infinity -Infinity
NaN 0.0
END
same wanted out
ok get a.zarr --format json
cat >wanted <<'END'
[[[0.5, 1.5],
[2.0, -2.0]],
[["Infinity", "-Infinity"],
["NaN", 0.0]]]
END
same wanted out

# The name of the output file decides.
ok get a.zarr -o x.json
same wanted x.json
ok get a.zarr -o x.npy
printf '\223NUMPY\001\000\166\000{' >wanted
head -c 11 x.npy >out
same wanted out
tail -c 32 x.npy >out
same a.raw out
grep -a -q "'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2), }" x.npy || fail "npy header"

# JSON of facts is one line that names everything.
ok info --json a.zarr
[ "$(wc -l <out)" -eq 1 ] || fail "info --json is not one line"
for key in path node_type zarr_format data_type shape chunks shards codecs fill_value dimension_names stored_size; do
    grep -q "\"$key\": " out || fail "info --json has no $key"
done
has '"data_type": "float32", "shape": \[2, 2, 2\]' info --json a.zarr
has '"size": 32,' info --json a.zarr

# Comma locales change nothing.
for locale in $(locale -a 2>/dev/null | grep -i '^de_DE' | head -n 1); do
    zl get a.zarr --format text >plain
    LC_ALL=$locale zl get a.zarr --format text >out
    same plain out
    zl info a.zarr >plain
    LC_ALL=$locale zl info a.zarr | sed 's/\xe2\x86\x92/->/g' >out
    same plain out
done

# Box drawing only for UTF-8.
ok create --group g.zarr
ok create --shape 1 --dtype int8 g.zarr/one
ok create --shape 2,3 --dtype uint16 g.zarr/sub/two
ok tree g.zarr
cat >wanted <<'END'
g.zarr
|-- one  int8  1
`-- sub/
    `-- two  uint16  2x3
END
same wanted out
# An emulated machine cannot read the locales of this one (ZL_FOREIGN is set then).
if [ -z "${ZL_FOREIGN:-}" ] && locale -a 2>/dev/null | grep -q -i '^C.utf-\{0,1\}8'; then
    LC_ALL=C.UTF-8 zl tree g.zarr | grep -q '└── sub/' || fail "no box drawing in a UTF-8 locale"
fi
has '"members": \[{"name": "one"' tree --json g.zarr

# What cannot be written is an error.
if [ -c /dev/full ]; then
    for command in 'get a.zarr' 'get a.zarr --format json' 'info a.zarr' 'tree g.zarr' 'ls g.zarr' '--help' '--version'; do
        # shellcheck disable=SC2086
        "$ZARRLITE" $command >/dev/full 2>err
        [ $? -eq 1 ] || fail "$command to /dev/full does not fail"
        grep -q 'standard output' err || fail "$command to /dev/full: $(cat err)"
    done
    refuses 1 '/dev/full' get a.zarr -o /dev/full
fi
# A reader that leaves early is no reason for messages.
ok create --shape 3000000 --dtype int8 long.zarr
zl get long.zarr --format text 2>err | head -c 10 >/dev/null
[ ! -s err ] || fail "broken pipe: $(cat err)"
finish
