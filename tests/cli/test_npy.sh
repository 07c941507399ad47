# SPDX-License-Identifier: MIT
# .npy files, made by hand: versions, orders, byte orders, refusals.
. "$(dirname "$0")/lib.sh"

# npy VERSION DICTIONARY: magic and header, padded to 128 bytes in all.
npy() {
    if [ "$1" -eq 1 ]; then
        printf '\223NUMPY\001\000\166\000'
        size=118
    else
        printf "\\223NUMPY\\00$1\\000\\164\\000\\000\\000"
        size=116
    fi
    printf "%-$((size - 1))s\n" "$2"
}

{ npy 1 "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"; numbers 0 6; } >c.npy
{ npy 2 "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }"; numbers 0 6; } >f.npy
{ npy 3 "{'descr': '>i2', 'fortran_order': False, 'shape': (3,), }"; printf '\0\001\0\002\001\0'; } >be.npy
{ npy 1 "{'descr': '|b1', 'fortran_order': False, 'shape': (), }"; printf '\001'; } >b.npy
{ npy 1 '{"shape": (2, ), "fortran_order": False, "descr": ">c8"}'; printf '\077\200\0\0\300\0\0\0\0\0\0\0\100\100\0\0'; } >z.npy

ok import -q c.npy c.zarr
is '[[0, 1, 2],
[3, 4, 5]]' get c.zarr --format json
ok import -q f.npy f.zarr --chunks 1,2
is '[[0, 2, 4],
[1, 3, 5]]' get f.zarr --format json
ok import -q be.npy be.zarr
is '[1, 2, 256]' get be.zarr --format json
has '^type *int16$' info be.zarr
ok import -q b.npy b.zarr
is 'true' get b.zarr --format json
ok import -q z.npy z.zarr
is '[[1.0,-2.0], [0.0,3.0]]' get z.zarr --format json
has 'int16 *2x3 *2x3 *- ' import --overwrite c.npy c.zarr
has '"data_type": "int16", "shape": \[2, 3\]' import --overwrite --json c.npy c.zarr
has '1x2 *2x2 ' import --overwrite --chunks 1,2 --shards 2,2 c.npy c.zarr
ok get c.zarr -o regular.raw
has '\[1\*2\],\[2,1\] *- ' import --overwrite --chunks '[1*2],[2,1]' c.npy c.zarr
ok get c.zarr -o edges.raw
same regular.raw edges.raw
has '1x1 *\[1\*2\],\[2,1\] ' import --overwrite --chunks 1,1 --shards '[1*2],[2,1]' c.npy c.zarr
ok get c.zarr -o edges.raw
same regular.raw edges.raw
refuses 1 'already' import c.npy c.zarr
refuses 1 '2 dimensions' import --overwrite --chunks 1 c.npy c.zarr
ok import -q c.npy g.zarr/deep/x
has 'deep/x' ls -r g.zarr

# The way back, and put.
ok get c.zarr -o back.npy
same c.npy back.npy
ok create --shape 2,3 --dtype int16 p.zarr
ok put p.zarr f.npy
is '[[0, 2, 4],
[1, 3, 5]]' get p.zarr --format json
zl put p.zarr - --format npy <f.npy || fail "Fortran order from standard input"
cat c.npy | zl put p.zarr --format npy - || fail "npy from a pipe"
is '[[0, 1, 2],
[3, 4, 5]]' get p.zarr --format json
ok put p.zarr be.npy --region 1
is '[1, 2, 256]' get p.zarr --region 1 --format json
refuses 1 'has the shape 3, the region is 2x3' put p.zarr be.npy

# Refusals.
{ npy 1 "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"; printf 'pickle'; } >o.npy
refuses 1 'Python objects' import o.npy x.zarr
{ npy 1 "{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (2,), }"; numbers 0 2; } >st.npy
refuses 1 'structured' import st.npy x.zarr
{ npy 1 "{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }"; numbers 0 12; } >u.npy
refuses 1 "'<U3' is not supported" import u.npy x.zarr
head -c 130 c.npy >cut.npy
refuses 1 '2 bytes of elements, the header says 12' import cut.npy x.zarr
head -c 60 c.npy >cut.npy
refuses 1 'ends inside its .npy header' import cut.npy x.zarr
head -c 8 c.npy >cut.npy
refuses 1 'ends inside its .npy header' import cut.npy x.zarr
{ npy 4 "{}"; } >v.npy
refuses 1 'version 4.0' import v.npy x.zarr
{ npy 1 "{'descr': '<i2', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }"; } >huge.npy
refuses 1 'too large' import huge.npy x.zarr
{ npy 1 "{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999999999999,), }"; } >huge.npy
refuses 1 'too large' import huge.npy x.zarr
for header in "{'descr': '<i2', 'shape': (2,)}" "{'descr': '<i2', 'fortran_order': 0, 'shape': (2,)}" '{' '' "{'descr': '<i2" \
    "{'descr': '<i2', 'descr': '<i2', 'fortran_order': False, 'shape': (2,)}" "{'a': 1}" \
    "{'descr': '<i2', 'fortran_order': False, 'shape': (-2,)}" "{'descr': '<i2', 'fortran_order': False, 'shape': (2"; do
    { npy 1 "$header"; numbers 0 2; } >bad.npy
    refuses 1 '.npy' import bad.npy x.zarr
done
[ ! -e x.zarr ] || fail "a refused file leaves a folder"
finish
