# SPDX-License-Identifier: MIT
# Groups, paths, attributes.
. "$(dirname "$0")/lib.sh"

ok create --group --attrs '{"title": "all"}' s.zarr
ok create --shape 2 --dtype int32 s.zarr/a/b/c
ok create --group s.zarr/d
is 'a
d' ls s.zarr
is 'a
a/b
a/b/c
d' ls -r s.zarr
is 'a/b' ls s.zarr/a
is '' ls s.zarr/a/b/c
is '[{"path": "a/b", "node_type": "group", "zarr_format": 3}]' ls --json s.zarr/a
has '^path */a/b/c$' info s.zarr/a/b/c
has '^path */a/b/c$' info ./s.zarr//a/./b/c/
has '^path */a/b/c$' info "$PWD/s.zarr/a/b/c"
has '^members *1 arrays, 0 groups$' info s.zarr/a/b
(cd s.zarr/a && "$ZARRLITE" info b/c) >out 2>err || fail "a path inside a store: $(cat err)"
refuses 1 'no Zarr array or group' info s.zarr/nothing
refuses 1 'no such folder' info nothing
refuses 1 'is a group' get s.zarr/a
mkdir empty
refuses 1 'no Zarr array' get empty

# A folder above that is no store is left alone; stores do not swallow other folders.
mkdir other
touch other/file
ok create --shape 1 --dtype int8 other/x.zarr
has '^path */$' info other/x.zarr
refuses 1 'holds other things' create --group other
refuses 1 'holds other things' create --group --overwrite other
[ -f other/file ] || fail "a file of somebody else is gone"
refuses 1 'already' create --shape 1 --dtype int8 other/x.zarr
ok create --shape 7 --dtype int8 --overwrite other/x.zarr
has '^shape *7$' info other/x.zarr
refuses 1 . create --shape 1 --dtype unknown-type new.zarr
[ ! -e new.zarr ] || fail "a failed create leaves its folder"

# Attributes.
is 'title: "all"' attrs s.zarr
is '"all"' attrs s.zarr get title
ok attrs s.zarr/d set list '[1, 2.50, {"x": null}]'
is '[1,2.50,{"x":null}]' attrs s.zarr/d get list
ok attrs s.zarr/a/b/c set units '"m"'
is '{"units":"m"}' attrs --json s.zarr/a/b/c
ok attrs s.zarr/a/b/c delete units
is '' attrs s.zarr/a/b/c
refuses 1 'text needs its quotes' attrs s.zarr set units m
refuses 1 'no attribute' attrs s.zarr get nothing
refuses 1 'no attribute' attrs s.zarr delete nothing
refuses 2 'get NAME, set NAME JSON' attrs s.zarr set units
has '^attributes *1$' info s.zarr

# Metadata from a file or a pipe comes back as it was.
zl create --metadata - copy.zarr <s.zarr/a/b/c/zarr.json || fail "create from metadata"
same s.zarr/a/b/c/zarr.json copy.zarr/zarr.json
refuses 2 'no other option' create --metadata x --shape 3 y.zarr
refuses 1 'cannot read' create --metadata missing.json y.zarr

# Deleting: arrays at a word, groups and stores with -r.
refuses 1 'is a group' rm s.zarr/a
refuses 1 'is a whole store' rm s.zarr
refuses 1 'is a whole store' rm other/x.zarr
refuses 1 'no Zarr array or group' rm s.zarr/nothing
ok rm s.zarr/a/b/c
is 'a
a/b
d' ls -r s.zarr
ok rm -r --yes s.zarr/a
is 'd' ls -r s.zarr
ok rm -rf s.zarr
[ ! -e s.zarr ] || fail "rm -r leaves the store's folder"
ok create --shape 1 --dtype int8 s.zarr/x
echo '{"zarr_format": 3' >s.zarr/x/zarr.json
ok rm -r s.zarr/x
[ ! -e s.zarr/x ] || fail "a damaged node stays"
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then # a terminal to ask on
    ok create --shape 4 --dtype int8 t.zarr
    echo n | script -qec "'$ZARRLITE' rm -r t.zarr" /dev/null >out
    grep -q 'delete t.zarr, a whole store, the array (0 B stored)? \[y/N\]' out || fail "no question: $(cat out)"
    [ -e t.zarr ] || fail "no is no"
    echo y | script -qec "'$ZARRLITE' rm -r t.zarr" /dev/null >out
    [ ! -e t.zarr ] || fail "yes is yes: $(cat out)"
fi
finish
