# SPDX-License-Identifier: MIT
# What casts do to values, and arrays that are packed with short texts of codecs.
. "$(dirname "$0")/lib.sh"

is 'float32   int16  rule        back
    1.5       2  rounded      2.0
   -2.5      -2  rounded     -2.0
    NaN  -32768  mapped       NaN
    1e9   32767  clamped  32767.0
      7       7  exact        7.0' \
    cast float32 int16 --out-of-range clamp --map NaN=-32768 --map-back -32768=NaN 1.5 -2.5 NaN 1e9 7
is '[{"value": "300", "result": 44, "rule": "wrapped", "back": 44.0}, {"value": "2.5", "result": 3, "rule": "rounded", "back": 3.0}]' \
    cast --json --rounding nearest-away --out-of-range wrap float64 uint8 300 2.5
refuses 1 '300.0 is outside the range of data type "uint8", 0 to 255' cast float64 uint8 1 300
grep -q '300 *- *refused *-' out || fail "a refused value is not shown: $(cat out)"
refuses 1 'has no -Infinity' cast float64 int64 --out-of-range clamp -- -Infinity
refuses 2 'uint9' cast float64 uint9 1
refuses 2 "called 'up'" cast --rounding up float64 uint8 1
refuses 2 'VALUE=BECOMES' cast --map 1 float64 uint8 1

ok create --shape 3 --dtype float32 --fill NaN --codec scale_offset:100,20 \
    --codec '{"name":"cast_value","configuration":{"data_type":"int16","scalar_map":{"encode":[["NaN",-1]],"decode":[[-1,"NaN"]]}}}' a.zarr
ok create --shape 3 --dtype float32 --codec cast_value:int16,clamp,towards-zero b.zarr
has 'cast_value(data_type=int16, out_of_range=clamp, rounding=towards-zero)' info b.zarr
refuses 1 'the nearest fill value that does is 0.0' create --shape 3 --dtype float32 --fill 0.25 --codec cast_value:int16 c.zarr

finish
