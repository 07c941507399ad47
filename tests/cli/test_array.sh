# SPDX-License-Identifier: MIT
# Arrays: create, put, get, regions, raw bytes.
. "$(dirname "$0")/lib.sh"

ok create --shape 4,6 --dtype int16 --chunks 3,4 --fill -7 --dims y,x a.zarr
has '^chunks *3x4$' info a.zarr
has '^dimensions *y, x$' info a.zarr
has '0 of 4 chunks' info a.zarr
is '-7 -7' get a.zarr --region 0,0:2 --format text

numbers 0 24 >all.raw
ok put a.zarr all.raw
ok get a.zarr -o back.raw
same all.raw back.raw
zl get a.zarr >piped.raw && same all.raw piped.raw
has '4 of 4 chunks' info a.zarr
has '^size  *[0-9]* B in 4 chunks$' info --no-count a.zarr
grep -q stored out && fail "info --no-count says how much is stored"
has '"stored_size": null, "stored_objects": null, "grid_objects": 4}' info --no-count --json a.zarr

# Regions: slices, indices that drop axes, negative numbers, steps, clipping, the ellipsis.
is '0 3' get a.zarr --region 0,::3 --format text
is '[23]' get a.zarr --region=-1,-1: --format json
is '23' get a.zarr --region=-1,-1 --format json
is '[5, 11, 17, 23]' get a.zarr --region ...,-1 --format json
is '[[8, 10]]' get a.zarr --region 1:2,2:100:2 --format json
is '[[], []]' get a.zarr --region 0:2,3:3 --format json
is '[]' get a.zarr --region 9:,: --format json
is '18 19 20 21 22 23' get a.zarr --region 3 --format text
refuses 2 'outside axis 0' get a.zarr --region 4
refuses 2 'steps are 1 or more' get a.zarr --region ::-1
refuses 2 'more axes' get a.zarr --region 0,0,0
refuses 2 'is not start:stop' get a.zarr --region 1:x

# Parts of chunks; the rest stays.
numbers 100 104 >part.raw
ok put a.zarr part.raw --region 1:3,3:5
zl get a.zarr --region 1:3,2:6 --format text >out
[ "$(cat out)" = "8 100 101 11
14 102 103 17" ] || fail "partial write: $(cat out)"
numbers 200 202 | zl put a.zarr - --region 0:4:3,5 || fail "put from a pipe"
is '[200, 11, 17, 201]' get a.zarr --region :,5 --format json
refuses 1 'the region takes 8' put a.zarr all.raw --region 0,0:4
numbers 0 3 | zl put a.zarr - --region 0,0:4 2>err && fail "a short pipe is an error"
grep -q 'ends after 6 bytes' err || fail "short pipe: $(cat err)"
numbers 0 5 | zl put a.zarr - --region 0,0:4 2>err && fail "a long pipe is an error"
grep -q 'goes on behind' err || fail "long pipe: $(cat err)"

# Shards, one element, no elements, codecs in order.
ok create --shape 9,9 --dtype int16 --chunks 2,3 --shards 4,6 --codec transpose:order=[1,0] --codec crc32c s.zarr
has 'transpose(order=\[1, *0\]) -> bytes(endian=little) -> crc32c' info s.zarr
if has_codec gzip; then
    ok create --shape 9,9 --dtype int16 --codec gzip:5 gzip.zarr
    has 'bytes(endian=little) -> gzip(level=5)' info gzip.zarr
else
    refuses 1 'gzip' create --shape 9,9 --dtype int16 --codec gzip:5 gzip.zarr
fi
has '^shards *4x6$' info s.zarr
numbers 0 81 >81.raw
ok put s.zarr 81.raw
ok get s.zarr --region 1:8:2,2:9 --format raw -o part.raw
ok get s.zarr -o back.raw
same 81.raw back.raw
has '6 of 6 shards' info s.zarr
ok create --shape '' --dtype float64 --fill 1.5 one.zarr
is 1.5 get one.zarr --format text
printf '\0\0\0\0\0\0\370\277' | zl put one.zarr - || fail "put of one element"
is '-1.5' get one.zarr --format json
ok create --shape 0,3 --dtype int8 none.zarr
is '[]' get none.zarr --format json
: >empty
ok put none.zarr empty
ok get none.zarr -o back.raw
same empty back.raw

# Variable length: a 32-bit size and the bytes.
ok create --shape 3 --dtype string --fill '?' t.zarr
is '["?", "?", "?"]' get t.zarr --format json
printf '\002\0\0\0\303\251\0\0\0\0\003\0\0\0a"b' >text.raw
ok put t.zarr text.raw
ok get t.zarr -o back.raw
same text.raw back.raw
printf '["\303\251", "", "a\\"b"]\n' >wanted
zl get t.zarr --format json >out && same wanted out
printf '\377\377\377\177abc' | zl put t.zarr - --region 0 2>err && fail "a lying size is an error"

# Elements of less than a byte are a byte each; fill values of several kinds.
ok create --shape 2 --dtype bool --fill true b.zarr
is '[true, true]' get b.zarr --format json
printf '\0\001' | zl put b.zarr -
is '[false, true]' get b.zarr --format json
ok create --shape 1 --dtype float32 --fill NaN n.zarr
is '["NaN"]' get n.zarr --format json
is 'NaN' get n.zarr --format text
ok create --shape 1 --dtype float32 --fill 0x7fc00001 p.zarr
is '["0x7fc00001"]' get p.zarr --format json

# Times are dates and durations as text, and numbers in JSON.
time_type() { echo "{\"name\":\"numpy.$1\",\"configuration\":{\"unit\":\"$2\",\"scale_factor\":$3}}"; }
ok create --shape 2 --dtype "$(time_type datetime64 s 1)" --fill 1709294400 moment.zarr
is '2024-03-01T12:00:00 2024-03-01T12:00:00' get moment.zarr --format text
is '[1709294400, 1709294400]' get moment.zarr --format json
has '^fill value *2024-03-01T12:00:00$' info moment.zarr
has '"fill_value": 1709294400' info --json moment.zarr
ok create --shape 1 --dtype "$(time_type timedelta64 us 5)" --fill 3 step.zarr
is '15 us' get step.zarr --format text
ok create --shape 1 --dtype "$(time_type timedelta64 us 5)" --fill NaT nat.zarr
is 'NaT' get nat.zarr --format text
is '["NaT"]' get nat.zarr --format json

# Chunks and shards of several shapes: edges in brackets, runs, one number.
ok create --shape 150,33,200 --dtype int16 --chunks '[100,50],[10*3,5],90' edges.zarr
has '^chunks *\[100,50\],\[10\*3,5\],90$' info edges.zarr
has '0 of 24 chunks' info edges.zarr
grep -q '100, *50' edges.zarr/zarr.json || fail "edges: $(cat edges.zarr/zarr.json)"
has '"chunks": *\[\[100, 50\], \[\[10, 3\], 5\], 90\]' info --json edges.zarr
ok create --shape 4,6 --dtype int16 --chunks '[3,1],[2*3]' few.zarr
ok put few.zarr all.raw
ok get few.zarr -o back.raw
same all.raw back.raw
ok create --shape 4,6 --dtype int16 --chunks 1,2 --shards '[3,1],:' edged.zarr
has '^chunks *1x2$' info edged.zarr
has '^shards *\[3,1\],6$' info edged.zarr
ok put edged.zarr all.raw
has '2 of 2 shards' info edged.zarr
ok get edged.zarr -o back.raw
same all.raw back.raw
for bad in '[3,1],' '[3,1],[]' '[3,1],[2*0]' '[3,1],[2*3' '[3,1]],2' '[[3],1],2' '[3,1],[2*3*4]' '[3,-1],6' '[3;1],6'; do
    refuses 2 'list of extents and of edges\|axes, the array has' create --shape 4,6 --dtype int16 --chunks "$bad" bad.zarr
done
refuses 2 '1 axes, the array has 2' create --shape 4,6 --dtype int16 --chunks '[3,1]' bad.zarr
refuses 2 'inner chunks' create --shape 4,6 --dtype int16 --chunks '[3,1],2' --shards 4,6 bad.zarr
refuses 2 'inner chunks' create --shape 4,6 --dtype int16 --shards '[3,1],2' bad.zarr
refuses 1 'sum up to 3' create --shape 4,6 --dtype int16 --chunks '[2,1],2' bad.zarr
refuses 1 'do not divide' create --shape 4,6 --dtype int16 --chunks 2,2 --shards '[3,1],2' bad.zarr
refuses 1 'one shape' create --format 2 --shape 4,6 --dtype int16 --chunks '[3,1],2' bad.zarr
[ ! -e bad.zarr ] || fail "a refused array was made"

# One field of a structure.
field() { echo "{\"name\":\"$1\",\"data_type\":$2}"; }
fields() { echo "{\"name\":\"struct\",\"configuration\":{\"fields\":[$1,$2]}}"; }
position=$(fields "$(field x '"float32"')" "$(field y '"float64"')")
ok create --shape 2 --dtype "$(fields "$(field at "$(time_type datetime64 D 1)")" "$(field position "$position")")" \
    --fill '{"at":19783,"position":{"x":1.5,"y":-2.25}}' fields.zarr
is '2024-03-01 2024-03-01' get fields.zarr --field at --format text
is '[-2.25, -2.25]' get fields.zarr --field position.y --format json
is '{"x":1.5,"y":-2.25}' get fields.zarr --field position --region 0 --format text
ok get fields.zarr --field position.x -o x.npy
[ "$(wc -c <x.npy)" -eq 136 ] || fail "x.npy has $(wc -c <x.npy) bytes"
refuses 2 "struct have no field 'z'" get fields.zarr --field z

# Version 2.
ok create --format 2 --group v2.zarr
ok create --format 2 --shape 3 --dtype int16 --dims x --codec transpose:0 --codec bytes:big v2.zarr/a
has '^type *>i2$' info v2.zarr/a
has '^dimensions *x$' info v2.zarr/a
numbers 0 3 | zl put v2.zarr/a -
is '[0, 1, 2]' get v2.zarr/a --format json

# Many blocks: a row is never split, and threads change nothing.
ok create --shape 300,1000 --dtype int64 --chunks 64,128 big.zarr
head -c 2400000 /dev/zero | tr '\0' 'q' >big.raw
ok put big.zarr big.raw --threads 2
ok get big.zarr --threads 1 -o back.raw
same big.raw back.raw
for region in 64:128,128:384 256:,896: 1:65,0:256; do # whole chunks, those at the end, parts
    ok get big.zarr --region $region -o part.raw
    size=$(($(wc -c <part.raw)))
    head -c $size /dev/urandom >part.raw
    ok put big.zarr --region $region part.raw
    ok get big.zarr --region $region -o back.raw
    same part.raw back.raw
done

# A shard that is larger than a block, from a file: piece by piece.
ok create --shape 140000000 --dtype int8 --chunks 1000000 --shards 140000000 --codec bytes large.zarr
printf abc | dd of=large.raw bs=1 seek=139999997 2>dd.err
ok put large.zarr large.raw
has '"stored_size": 10[0-9]*, "stored_objects": 1,' info --json large.zarr
ok get large.zarr -o back.raw --region 139999990:
printf '\0\0\0\0\0\0\0abc' >part.raw
same part.raw back.raw
finish
