# SPDX-License-Identifier: MIT
# ZIP archives as stores.
. "$(dirname "$0")/lib.sh"
has_zip || {
    echo "skipped: built without libzip"
    exit 77
}

ok create --group --attrs '{"title": "t"}' a.zarr
ok create --shape 5,4 --dtype int16 --chunks 2,3 a.zarr/g/x
numbers 0 20 >x.raw
ok put a.zarr/g/x x.raw

ok copy --quiet a.zarr a.zarr.zip
[ -f a.zarr.zip ] || fail "no archive"
[ ! -e a.zarr.zip.partial ] || fail "the temporary file is left"
ok tree a.zarr.zip
has '^g/x' ls a.zarr.zip/g
ok get a.zarr.zip/g/x -o out.raw
same x.raw out.raw
is '"t"' attrs a.zarr.zip get title

# Back to a folder, and into an archive of version 2.
ok copy --quiet a.zarr.zip b.zarr
ok get b.zarr/g/x -o out.raw
same x.raw out.raw
ok copy --quiet --format 2 a.zarr two.zip
has '"zarr_format": 2' info --json two.zip/g/x
ok get two.zip/g/x -o out.raw
same x.raw out.raw

# Written once.
refuses 1 'written once' copy --quiet a.zarr a.zarr.zip
refuses 1 'written once' attrs a.zarr.zip set title '"u"'
refuses 1 'no such archive' info missing.zip
cp a.zarr.zip cut.zip
printf 'PK\003\004' >cut.zip
refuses 1 'not a ZIP archive' info cut.zip
refuses 1 'no array or group\|no .*here\|missing' copy --quiet a.zarr/none fresh.zip
[ ! -e fresh.zip ] || fail "a failed copy left an archive"
finish
