# SPDX-License-Identifier: MIT
# Copies: of hierarchies and arrays, with other chunks, shards and codecs, in little memory.
. "$(dirname "$0")/lib.sh"

ok create --group --attrs '{"title": "all", "list": [1, 2.50]}' s.zarr
ok create --shape 20,30 --dtype int16 --chunks 5,6 --shards 10,30 --fill -7 --dims y,x --attrs '{"units": "K"}' \
    --codec transpose:1,0 --codec crc32c --key-encoding default:. s.zarr/g/a
ok create --shape 3 --dtype string --fill '?' s.zarr/text
ok create --shape '' --dtype float64 --fill NaN s.zarr/one
ok create --shape 0,4 --dtype int8 s.zarr/none
ok create --shape 1000000,1000000,1000000 --dtype int8 --chunks 1,1,1 --shards 10,10,10 s.zarr/holes
i=0
while [ $i -lt 600 ]; do
    printf "\\$(printf %03o $((i * 7 % 256)))\\$(printf %03o $((i / 256)))"
    i=$((i + 1))
done >a.raw
ok put s.zarr/g/a a.raw
printf '\002\0\0\0\303\251\0\0\0\0\003\0\0\0a"b' | zl put s.zarr/text -
printf '\0\0\0\0\0\0\370\277' | zl put s.zarr/one -
same_elements() { zl get "$1" --format raw >one.raw && zl get "$2" --format raw >two.raw && same one.raw two.raw; }

# Everything, as it is.
ok copy s.zarr t.zarr
grep -q '^g/a  *int16  *20x30  *5x6  *10x30 ' out || fail "table: $(cat out)"
diff -r s.zarr t.zarr >out || fail "a plain copy differs: $(cat out)"
refuses 1 'already' copy s.zarr t.zarr
ok copy -q --overwrite s.zarr t.zarr
ok rm -rf t.zarr/holes
ok rm -rf s.zarr/holes

# With changes; what is not named stays.
has 'identical, bit for bit' copy --overwrite --verify --chunks 3,30 --shards 6,30 --codec crc32c s.zarr t.zarr
has '^chunks *3x30$' info t.zarr/g/a
has '^shards *6x30$' info t.zarr/g/a
has '^codecs *bytes(endian=little) -> crc32c$' info t.zarr/g/a
has '^codecs *vlen-utf8 -> crc32c$' info t.zarr/text
has '^fill value *-7$' info t.zarr/g/a
has '^dimensions *y, x$' info t.zarr/g/a
is '"K"' attrs t.zarr/g/a get units
is '{"title":"all","list":[1,2.50]}' attrs --json t.zarr
[ -f t.zarr/g/a/c.0.0 ] || fail "the key encoding is lost"
same_elements s.zarr/g/a t.zarr/g/a
same_elements s.zarr/text t.zarr/text
same_elements s.zarr/one t.zarr/one
ok copy -q --no-shards s.zarr/g/a u.zarr
has '^chunks *5x6$' info u.zarr
has 'transpose(order=\[1, *0\]) -> bytes(endian=little) -> crc32c' info u.zarr
has ' 20 of 20 chunks' info u.zarr
ok create --group v.zarr
ok copy -q --shards 20,12 u.zarr v.zarr/deep/b
has '^chunks *5x6$' info v.zarr/deep/b
has '^shards *20x12$' info v.zarr/deep/b
ok copy -q --shards 7,7 s.zarr/g/a w.zarr
has '^shards *7x7$' info w.zarr
same_elements s.zarr/g/a w.zarr
ok copy -q --overwrite --chunks 4,4 s.zarr/g/a w.zarr
has '^chunks *4x4$' info w.zarr
same_elements s.zarr/g/a w.zarr
has '"identical": true' copy --overwrite --verify --json u.zarr v.zarr/deep/b

# Memory for a few elements: shards are written in parts.
has 'identical' copy --overwrite --verify --memory 100 --chunks 2,3 --shards 20,30 s.zarr/g/a w.zarr
has '1 of 1 shards' info w.zarr
has 'identical' copy --overwrite --verify --memory 1 --threads 1 --chunks 7,11 --shards 14,22 s.zarr/g/a w.zarr
same_elements s.zarr/g/a w.zarr

if has_codec crc32c; then # what cannot be written piece by piece is written all the same
    has 'identical' copy --overwrite --verify --memory 100 --codec crc32c --chunks 2,3 --shards 20,30 s.zarr/g/a w.zarr
fi
has 'identical' copy --verify --memory 100 --chunks 2,3 --shards 20,30 s.zarr/g/a w.zip

# Codecs that change values are found.
ok create --shape 2 --dtype float32 f.zarr
printf '\0\0\200\077\377\377\177\077' | zl put f.zarr -
ok copy -q --codec bitround:4 f.zarr g.zarr
zl copy -q --overwrite --verify --codec bitround:4 f.zarr g.zarr >out 2>err && fail "no difference is found"
grep -q '^/: \[1\]: 0.99999994 became 1.0 (1 of 2 values differ)$' out || fail "difference: $(cat out)"

# Version 2 and back.
has 'identical' copy --verify --format 2 s.zarr/text v2.zarr
has '^node *array, Zarr version 2$' info v2.zarr
refuses 1 'packbits' copy --format 2 --codec packbits s.zarr/g/a v2a.zarr
ok copy -q --format 2 --codec bytes s.zarr/g/a v2a.zarr
has 'identical' copy --verify v2a.zarr v3a.zarr
has '^dimensions *y, x$' info v3a.zarr
is '{"units":"K"}' attrs --json v3a.zarr
same_elements s.zarr/g/a v3a.zarr

if has_codec blosc && has_codec zstd; then # codecs that both versions have get the names of each
    ok create --shape 8 --dtype int16 --codec blosc:zstd,5,bitshuffle n.zarr
    numbers 0 8 | zl put n.zarr -
    ok copy -q --format 2 n.zarr n2.zarr
    grep -q '"id": *"blosc"' n2.zarr/.zarray || fail "no blosc: $(cat n2.zarr/.zarray)"
    has 'identical' copy --verify n2.zarr n3.zarr
    has 'blosc(cname=zstd, clevel=5, shuffle=bitshuffle, typesize=2, blocksize=0)' info n3.zarr
    ok copy -q --overwrite --format 2 --codec zstd:5 n.zarr n2.zarr
    has 'identical' copy --overwrite --verify n2.zarr n3.zarr
    has ' zstd(level=5, checksum=false)' info n3.zarr
fi

# Encoded chunks are copied as they are, damaged ones too, without more memory than is allowed.
ok create --shape 40 --dtype int16 --chunks 1 --codec bytes e.zarr
numbers 0 40 | zl put e.zarr -
printf abc >e.zarr/c/7
ok copy -q --memory 8 --threads 3 e.zarr e2.zarr
diff -r e.zarr e2.zarr >out || fail "encoded chunks: $(cat out)"
refuses 1 'c/7' copy -q --verify --overwrite e.zarr e2.zarr

# Refusals.
refuses 1 'one is inside the other' copy s.zarr s.zarr
refuses 1 'one is inside the other' copy s.zarr "$PWD/s.zarr/g/copy"
refuses 1 'one is inside the other' copy --overwrite s.zarr/g s.zarr
refuses 1 'no Zarr array or group' copy s.zarr/nothing x.zarr
refuses 2 'exclude each other' copy --shards 2 --no-shards s.zarr x.zarr
refuses 2 'no shards' copy --format 2 --shards 2 s.zarr x.zarr
refuses 2 'versions 2 and 3' copy --format 4 s.zarr x.zarr
for size in 0 -1 x 5X '' 1GG; do
    refuses 2 'is no size' copy --memory "$size" s.zarr x.zarr
done
refuses 1 '1 extents' copy --chunks 5 s.zarr/g/a x.zarr
# Edges of several lengths: given, kept where nothing asks for others, and left.
ok copy --verify --chunks '[7,10,3],[10*3]' s.zarr/g/a edges.zarr
grep -q 'chunks  *shards' out && grep -q '20x30  *\[7,10,3\],\[10\*3\]  *-' out || fail "edges in the table: $(cat out)"
same_elements s.zarr/g/a edges.zarr
ok copy -q --codec crc32c edges.zarr kept.zarr
has '^chunks *\[7,10,3\],\[10\*3\]$' info kept.zarr
same_elements s.zarr/g/a kept.zarr
ok copy -q --shards '[7,13],[15*2]' --chunks 1,5 edges.zarr inner.zarr
has '^chunks *1x5$' info inner.zarr
has '^shards *\[7,13\],\[15\*2\]$' info inner.zarr
same_elements s.zarr/g/a inner.zarr
has 'identical' copy --overwrite --verify --memory 100 --shards '[7,13],[15*2]' --chunks 1,5 s.zarr/g/a inner.zarr
same_elements s.zarr/g/a inner.zarr
has '\[7,13\],\[15\*2\]' copy --codec crc32c inner.zarr shards.zarr
same_elements s.zarr/g/a shards.zarr
ok copy -q --no-shards inner.zarr plain.zarr
has '^chunks *1x5$' info plain.zarr
same_elements s.zarr/g/a plain.zarr
ok copy -q --chunks '[7,13],:' s.zarr tree.zarr
has '^chunks *\[7,13\],30$' info tree.zarr/g/a
has '^chunks *3$' info tree.zarr/text

zl copy -q --chunks 1,1,1,1 s.zarr x.zarr 2>err || fail "chunks for another rank"
grep -q 'warning: no array has as many dimensions' err || fail "no warning: $(cat err)"
printf x >s.zarr/g/a/c.0.0
refuses 1 'copy is incomplete' copy --overwrite --codec bytes s.zarr x.zarr
finish
