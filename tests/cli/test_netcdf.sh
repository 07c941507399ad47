# SPDX-License-Identifier: MIT
# NetCDF import and compare, from files that ncgen makes.
if [ -z "${NCGEN:-}" ]; then
    echo "SKIPPED: ncgen or the NetCDF importer is not here; nothing of import and compare was tested"
    exit 77
fi
. "$(dirname "$0")/lib.sh"

cat >all.cdl <<'END'
netcdf all {
dimensions:
  time = UNLIMITED ; lat = 3 ; lon = 4 ; letters = 5 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ;
  float lat(lat) ; lat:valid_range = -90.f, 90.1f ;
  float t(time, lat, lon) ;
    t:_FillValue = NaNf ; t:missing_value = NaNf ; t:d = 0.1 ; t:f = 0.1f ; t:bytes = 1b, -2b ; t:i = 5 ; t:s = 7s ;
    t:big = 9223372036854775807LL ; t:ub = 200ub ; t:us = 65535us ; t:ui = 4294967295u ; t:ul = 18446744073709551615ull ;
    string t:words = "a", "b\"c", "\316\264" ; string t:word = "one" ; t:inf = -Infinityf ; t:whole = 2. ;
  char name(lat, letters) ; name:_FillValue = "x" ;
  short s(lat) ; s:_FillValue = -999s ;
  double d(lat) ; d:_FillValue = 1e20 ;
  int scalar ;
  string str(lon) ;
  ubyte ub(lat) ; ushort us(lat) ; uint ui(lat) ; int64 l(lat) ; uint64 ul(lat) ; byte b(lat) ;
  int nothing(time, lat) ;
  :title = "test" ; :latin = "caf\351" ;
data:
  time = 1, 2 ; lat = -45, 0, 45.1 ;
  t = 1, 2, 3, 4, 5, 6, _, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24.5 ;
  name = "abcde", "xyz", "q" ; s = 1, _, 3 ; d = 1.5, _, 3 ; scalar = 42 ; str = "alpha", "", "gamma", "\316\264" ;
  ub = 1, 2, 255 ; us = 1, 2, 65535 ; ui = 1, 2, 4294967295 ; l = -1, 2, 9223372036854775807 ;
  ul = 1, 2, 18446744073709551615 ; b = -128, 0, 127 ;
group: g {
  dimensions: z = 2 ;
  variables: float w(z, lat) ; w:units = "m" ;
  :about = "sub" ;
  data: w = 1, 2, 3, 4, 5, 6 ;
  group: h { variables: int v(z) ; data: v = 7, 8 ; }
  }
}
END
"$NCGEN" -4 -o all.nc all.cdl || fail "ncgen"
ok import all.nc all.zarr
grep -q '^t  *float32  *2x3x4  *2x3x4  *-  *96 B ' out || fail "table: $(cat out)"
grep -q '^g/h/v  *int32 ' out || fail "table: $(cat out)"
has 'identical, bit for bit$' compare all.nc all.zarr
is '' compare -q all.nc all.zarr
has '^{"identical": true' compare --json all.nc all.zarr
has '^dimensions *time, lat, lon$' info all.zarr/t
has '^fill value *"NaN"$' info all.zarr/t
has '^fill value *-999$' info all.zarr/s
has '^type *uint8$' info all.zarr/name
is '[7, 8]' get all.zarr/g/h/v --format json
printf '["alpha", "", "gamma", "\316\264"]\n' >wanted
zl get all.zarr/str --format json >out && same wanted out
is '0.1' attrs all.zarr/t get f
is '2.0' attrs all.zarr/t get whole
is '[1,-2]' attrs all.zarr/t get bytes
is '"NaN"' attrs all.zarr/t get missing_value
is '"-Infinity"' attrs all.zarr/t get inf
is '"AAAAAAAA+H8="' attrs all.zarr/t get _FillValue
is '18446744073709551615' attrs all.zarr/t get ul
has '"type":"float","attributes":{"_FillValue":"float","missing_value":"float","d":"double","f":"float"' attrs all.zarr/t get _zarrlite_netcdf
has '"latin":"char:latin1"' attrs all.zarr get _zarrlite_netcdf
has '"unlimited":\["time"\]' attrs all.zarr get _zarrlite_netcdf

# Every kind of difference is found and named.
cp -R all.zarr changed.zarr
printf '\0\0\0\0' | zl put changed.zarr/t - --region 1,1,1
ok attrs changed.zarr/lat set valid_range '[-90.0, 90.1000001]'
ok attrs changed.zarr/time delete units
ok attrs changed.zarr set more 1
ok create --shape 1 --dtype int8 changed.zarr/g/extra
rm -r changed.zarr/g/h
ok create --shape 3 --dtype int16 --overwrite changed.zarr/b
zl compare -q all.nc changed.zarr >out && fail "compare finds no difference"
for line in 't: \[1, 1, 1\] is 18.0 in the file and 0.0 in the store (1 of 24 values differ)' "time: attribute 'units' is missing" \
    "/: attribute 'more' is only in the store" 'g/extra: the array is only in the store' 'g/h: the group is missing' \
    'g/h/v: is missing' 'b: the type is byte in the file and int16' 'b: dimension 0 is' 'b: has no attribute _zarrlite_netcdf'; do
    grep -q "^$line" out || fail "not found: $line: $(cat out)"
done
grep -q '^lat' out && fail "90.1000001 is the same float as 90.1: $(cat out)"
ok attrs changed.zarr/lat set valid_range '[-90.0, 90.10001]'
zl compare -q --var lat all.nc changed.zarr >out
grep -q "^lat: attribute 'valid_range'" out || fail "a changed attribute: $(cat out)"

# Parts, options, places.
ok import -q --var g/h/v --var /lat all.nc some.zarr --chunks 2 --codec bytes:big --codec crc32c
is 'g
g/h
g/h/v
lat' ls -r some.zarr
has 'bytes(endian=big) -> crc32c' info some.zarr/lat
has 'identical' compare --var lat all.nc some.zarr
refuses 1 "no variable 'nope'" import --var nope all.nc new.zarr
[ ! -e new.zarr ] || fail "a failed import leaves its folder"
refuses 1 'already' import all.nc all.zarr
ok import -q --overwrite all.nc all.zarr
ok import -q all.nc deep.zarr/in/it
has 'identical' compare all.nc deep.zarr/in/it
has '2x2x2 *2x4x4 ' import --overwrite --chunks 2,2,2 --shards 2,4,4 all.nc all.zarr
has 'identical' compare all.nc all.zarr
ok import -q --overwrite --format 2 all.nc two.zarr
has 'identical' compare all.nc two.zarr
has '^node *array, Zarr version 2$' info two.zarr/g/w
has '"skipped": \[\]' import --overwrite --json all.nc all.zarr

# Classic files.
cat >old.cdl <<'END'
netcdf old {
dimensions: x = 3 ; t = UNLIMITED ;
variables: short v(t, x) ; v:scale_factor = 0.01f ; v:add_offset = 273.15 ; int n(x) ;
data: v = 1, 2, 3, 4, 5, 6 ; n = 7, 8, 9 ;
}
END
for kind in 3 5 6 7; do # classic, cdf5, 64-bit offset, netCDF-4 classic model
    "$NCGEN" -"$kind" -o old.nc old.cdl || fail "ncgen -$kind"
    ok import -q --overwrite old.nc old.zarr
    has 'identical' compare old.nc old.zarr
done

# User-defined types are left out, loudly.
cat >enum.cdl <<'END'
netcdf enum {
types: byte enum sky { clear = 0, cloudy = 1 } ;
dimensions: x = 2 ;
variables: sky e(x) ; int i(x) ;
data: e = clear, cloudy ; i = 1, 2 ;
}
END
"$NCGEN" -4 -o enum.nc enum.cdl || fail "ncgen"
zl import -q enum.nc enum.zarr 2>err || fail "import with a skipped variable"
grep -q 'warning: e is skipped: its type is user-defined' err || fail "skipped: $(cat err)"
is 'i' ls enum.zarr
zl compare -q enum.nc enum.zarr >out && fail "what was skipped is a difference"
grep -q '^e: is not in the store' out || fail "skipped: $(cat out)"

# A damaged file is an error.
head -c 200 all.nc >cut.nc
refuses 1 'cut.nc' import cut.nc cut.zarr
[ ! -e cut.zarr ] || fail "a damaged file leaves a folder"
finish
