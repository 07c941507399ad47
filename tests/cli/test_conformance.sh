# SPDX-License-Identifier: MIT
# zarr-conformance-cli: every element in C order, one JSON value a line.
. "$(dirname "$0")/lib.sh"
: "${ZARR_CONFORMANCE_CLI:?the program to test}"

# prints TEXT ARRAY
prints() {
    "$ZARR_CONFORMANCE_CLI" --array_path="$2" >out 2>err || fail "status $?: $2: $(cat err)"
    [ "$(cat out)" = "$1" ] || fail "$2
  wanted: $1
  got:    $(cat out)"
}

ok create --shape 2,3 --dtype int16 --chunks 1,2 --fill -7 a.zarr
numbers 0 3 | zl put a.zarr - --region 1
prints '-7
-7
-7
0
1
2' a.zarr
ok create --shape 3 --dtype float32 --fill NaN f.zarr/deep/in
printf '\0\0\300\177\0\0\200\377\0\0\0\077' | zl put f.zarr/deep/in -
prints '"NaN"
"-Infinity"
0.5' f.zarr/deep/in
ok create --shape 2 --dtype complex64 z.zarr
prints '[0.0,0.0]
[0.0,0.0]' z.zarr
ok create --shape 1 --dtype string --fill 'a"
b' s.zarr
prints '"a\"\nb"' s.zarr
ok create --shape '' --dtype bool b.zarr
prints false b.zarr
ok create --shape 0,3 --dtype int8 e.zarr
prints '' e.zarr
"$ZARR_CONFORMANCE_CLI" --array_path=missing.zarr >out 2>err && fail "no array, no error"
"$ZARR_CONFORMANCE_CLI" >out 2>err
[ $? -eq 2 ] || fail "no path is wrong use"
grep -q "^hint: 'zarr-conformance-cli --help' shows" err || fail "the hint names a help that is not there: $(cat err)"
has '^-7$' get a.zarr --format lines
finish
