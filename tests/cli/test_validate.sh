# SPDX-License-Identifier: MIT
# validate: what is wrong is found and named, what is right passes.
. "$(dirname "$0")/lib.sh"

ok create --group s.zarr
ok create --shape 20,30 --dtype int16 --chunks 5,6 --shards 10,30 s.zarr/g/a
ok create --shape 8 --dtype int16 --chunks 2 --codec crc32c s.zarr/b
ok create --shape 3 --dtype string s.zarr/text
ok create --shape '' --dtype float64 s.zarr/one
ok create --shape 0,4 --dtype int8 s.zarr/none
ok create --format 2 --shape 4 --dtype int16 --chunks 2 v2.zarr
i=0
while [ $i -lt 600 ]; do
    printf "\\$(printf %03o $((i % 250 + 1)))\\001"
    i=$((i + 1))
done >a.raw
ok put s.zarr/g/a a.raw
numbers 1 9 | zl put s.zarr/b -
printf '\001\0\0\0x\0\0\0\0\0\0\0\0' | zl put s.zarr/text -
printf '\0\0\0\0\0\0\370\277' | zl put s.zarr/one -
numbers 1 5 | zl put v2.zarr -
has '^arrays 5, groups 2, stored objects 8 (.*, 1.2 KiB decoded): valid$' validate s.zarr
has '"valid": true, "arrays": 5, "groups": 2, "stored_objects": 8, .*"findings": \[\]}' validate --json s.zarr
has ': valid$' validate --threads 3 s.zarr
is 'arrays 1, groups 0, stored objects 4 (32 B, 16 B decoded): valid' validate s.zarr/b
has '^arrays 1, groups 0, stored objects 2 (.*, 8 B decoded): valid$' validate v2.zarr
is '' validate -q s.zarr
has 'stored objects 8 ([0-9.]* KiB): valid$' validate --metadata-only s.zarr

# finds EXIT 'LINES' ARGUMENTS
finds() {
    wanted_status=$1
    wanted=$2
    shift 2
    zl validate -q "$@" >out 2>err
    status=$?
    [ "$status" -eq "$wanted_status" ] || fail "status $status, not $wanted_status: $*: $(cat out err)"
    [ "$(cat out)" = "$wanted" ] || fail "$*
  wanted: $wanted
  got:    $(cat out)"
}

# Notes: nothing is wrong.
cp -R s.zarr n.zarr
touch n.zarr/README
mkdir n.zarr/g/junk
sed 's/"zarr_format"/"mine": {"must_understand": false}, "zarr_format"/' s.zarr/b/zarr.json >n.zarr/b/zarr.json
sed 's/"zarr_format"/"yours": {"must_understand": false}, "zarr_format"/' s.zarr/g/zarr.json >n.zarr/g/zarr.json
finds 0 "note: README: is no part of the hierarchy
note: b: the metadata has a member 'mine' that Zarr does not know
note: g: the metadata has a member 'yours' that Zarr does not know
note: g/junk: is no part of the hierarchy" n.zarr
has ': valid, 4 notes$' validate n.zarr
cp -R v2.zarr n2.zarr
sed 's/"zarr_format"/"mine": 1, "zarr_format"/' v2.zarr/.zarray >n2.zarr/.zarray
finds 0 "note: /: the metadata has a member 'mine' that Zarr does not know" n2.zarr

# Consolidated metadata is compared with the nodes.
ok create --group c.zarr
ok create --shape 2 --dtype int8 c.zarr/here
copies='{"kind": "inline", "must_understand": false, "metadata": {"gone": {"zarr_format": 3, "node_type": "group"}}}'
sed "s/\"zarr_format\"/\"consolidated_metadata\": $copies, \"zarr_format\"/" c.zarr/zarr.json >c.json
mv c.json c.zarr/zarr.json
finds 1 'error: gone: is gone, but for its consolidated copy
error: here: has no copy in the consolidated metadata above' c.zarr

# Stray keys: outside the grid, in another spelling, temporary files.
cp s.zarr/b/c/0 s.zarr/b/c/4
cp s.zarr/b/c/0 s.zarr/b/c/00
touch s.zarr/b/c/x
finds 1 "stray: b/c/00: is no chunk of the array's grid
stray: b/c/4: is no chunk of the array's grid
stray: b/c/x: is no chunk of the array's grid" s.zarr
finds 1 "stray: b/c/00: is no chunk of the array's grid
stray: b/c/4: is no chunk of the array's grid
stray: b/c/x: is no chunk of the array's grid" --metadata-only s.zarr/b
mkdir -p s.zarr/b/c/1x/deep/er
finds 1 "stray: b/c/00: is no chunk of the array's grid
stray: b/c/1x/: is no chunk of the array's grid
stray: b/c/4: is no chunk of the array's grid
stray: b/c/x: is no chunk of the array's grid" --metadata-only s.zarr/b
rm -r s.zarr/b/c/4 s.zarr/b/c/00 s.zarr/b/c/x s.zarr/b/c/1x

# Damage: each chunk is named.
printf abc >s.zarr/b/c/3
dd if=/dev/zero of=s.zarr/b/c/1 bs=1 seek=2 count=1 conv=notrunc 2>dd.err
printf abc >s.zarr/g/a/c/1/0
zl validate s.zarr >out 2>err && fail "damage is not found"
for line in '^error: b/c/1: crc32c: ' '^error: b/c/3: ' '^error: g/a/c/1/0: sharding_indexed: the shard has 3 bytes' \
    'stored objects 8 (.*): 3 errors$'; do
    grep -q "$line" out || fail "no line matches '$line': $(cat out)"
done
grep -q 'b/c/0\|b/c/2' out && fail "good chunks are reported: $(cat out)"
zl validate --json --threads 1 s.zarr >out && fail "damage is not found"
grep -q '^{"valid": false, .*"kind": "error", "where": "b/c/1", "message": "crc32c' out || fail "json: $(cat out)"
has ': valid$' validate --metadata-only s.zarr
echo '{"zarr_format": 3, "node_type": "array"}' >s.zarr/text/zarr.json
zl validate -q s.zarr/text >out && fail "bad metadata is not found"
grep -q '^error: text: ' out || fail "metadata: $(cat out)"
zl validate -q --metadata-only s.zarr >out && fail "bad metadata is not found among others"
grep -q '^error: text: ' out || fail "metadata: $(cat out)"

# Inner chunks that share bytes: two entries of the index name the same ones.
cat >shard.json <<'EOF2'
{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "int16", "fill_value": 0,
 "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
 "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
 "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "index_location": "end",
   "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
   "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}]}
EOF2
ok create --metadata shard.json shard.zarr
numbers 1 5 | zl put shard.zarr -
has ': valid$' validate shard.zarr
dd if=/dev/zero of=shard.zarr/c/0 bs=1 seek=24 count=1 conv=notrunc 2>dd.err # the second offset: 4 becomes 0
finds 1 'error: c/0: inner chunks overlap: bytes from 0 on belong to one that begins at 0 and to the one before, which ends at 4' \
    shard.zarr

# So are damaged chunks of several shapes.
ok create --shape 20,30 --dtype int16 --chunks '[7,13],[15*2]' --codec crc32c edges.zarr
ok put edges.zarr a.raw
has 'stored objects 4 (.*, 1.2 KiB decoded): valid$' validate edges.zarr
printf abc >edges.zarr/c/0/1
printf abc >edges.zarr/c/1/1
zl validate edges.zarr >out 2>err && fail "damage is not found"
grep -q '^error: c/0/1: crc32c' out && grep -q '^error: c/1/1: crc32c' out || fail "edges: $(cat out)"

refuses 1 'no Zarr array or group' validate s.zarr/nothing
refuses 1 'no such folder' validate nothing.zarr
if has_zip; then
    ok copy -q n.zarr n.zip
    has ': valid, 1 note$' validate n.zip
    command -v python3 >/dev/null || finish
    # Archives of others may hold anything.
    cp -R n.zarr m.zarr
    cp s.zarr/b/c/0 m.zarr/b/c/4
    mkdir m.zarr/b/c/0x
    touch m.zarr/b/c/0x/y m.zarr/g/a/c/README m.zarr/g/junk/x
    (cd m.zarr && python3 -m zipfile -c ../m.zip ./*) || fail "no archive"
    finds 1 "note: README: is no part of the hierarchy
note: b: the metadata has a member 'mine' that Zarr does not know
stray: b/c/0x/: is no chunk of the array's grid
stray: b/c/4: is no chunk of the array's grid
note: g/junk: is no part of the hierarchy
stray: g/a/c/README: is no chunk of the array's grid" m.zip
fi
finish
