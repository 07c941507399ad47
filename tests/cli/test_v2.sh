# SPDX-License-Identifier: MIT
# Stores of version 2: consolidated metadata and migration.
. "$(dirname "$0")/lib.sh"

ok create --format 2 --group --attrs '{"title": "t"}' a.zarr
ok create --format 2 --shape 5,4 --dtype int16 --chunks 2,3 --dims y,x a.zarr/g/x
numbers 0 20 >x.raw
ok put a.zarr/g/x x.raw
[ -f a.zarr/g/x/.zarray ] && [ -f a.zarr/g/x/0.0 ] || fail "not written in version 2"

refuses 1 'no consolidated metadata' consolidate --check a.zarr
ok consolidate a.zarr
ok consolidate --check a.zarr
ok attrs a.zarr/g/x set units '"m"'
ok consolidate --check a.zarr
ok create --format 2 --group a.zarr/gone
rm -r a.zarr/gone
refuses 1 '1 copies are not as their nodes are' consolidate --check a.zarr
grep -q '^gone  *gone/.zgroup$' out || fail "not named: $(cat out)"
zl consolidate --check --json a.zarr >out 2>err && fail "stale copies are no failure"
grep -q '"consolidated": true, "stale": \[{"key": "gone/.zgroup", "kind": "gone"}\]' out || fail "json: $(cat out)"
ok consolidate a.zarr

ok migrate --dry-run a.zarr
[ ! -e a.zarr/zarr.json ] || fail "a dry run wrote"
has '^g/x  array$' migrate a.zarr
has '"zarr_format": 3' info --json a.zarr/g/x
has '"dimension_names": \["y", "x"\]' info --json a.zarr/g/x
ok get a.zarr/g/x -o out.raw
same x.raw out.raw
has 'metadata of version 2 is there' info a.zarr/g/x
has '"unused_v2_metadata": true' info --json a.zarr/g/x
[ -f a.zarr/g/x/.zarray ] || fail "metadata of version 2 is gone without being asked for"
ok consolidate --check a.zarr
is 'no metadata of version 2' migrate --remove-v2 a.zarr
[ -z "$(find a.zarr -name '.z*')" ] || fail "left: $(find a.zarr -name '.z*')"
ok get a.zarr/g/x -o out.raw
same x.raw out.raw

# What cannot be migrated is named, and nothing is changed.
mkdir -p b.zarr/a b.zarr/b
echo '{"zarr_format": 2}' >b.zarr/.zgroup
echo '{"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "<i4"}' >b.zarr/a/.zarray
echo '{"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "|O", "filters": [{"id": "json2"}]}' >b.zarr/b/.zarray
refuses 1 'nothing was changed' migrate b.zarr
grep -q '^b  array  must be copied: .*json2' out || fail "not named: $(cat out)"
[ ! -e b.zarr/a/zarr.json ] || fail "something was changed"
finish
