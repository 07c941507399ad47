# SPDX-License-Identifier: MIT
# Export to NetCDF and .npy: what was imported comes back as it was; everything else in NetCDF's nearest words.
. "$(dirname "$0")/lib.sh"

# .npy needs no library.
ok create --group p.zarr
ok create --shape 2,3 --dtype int16 --dims y,x p.zarr/a
numbers 0 6 | zl put p.zarr/a -
ok export p.zarr/a a.npy
ok get p.zarr/a -o wanted.npy
same wanted.npy a.npy
refuses 1 'there already' export p.zarr/a a.npy
ok export --overwrite p.zarr/a a.npy
ok create --shape 2 --dtype string t.zarr
refuses 1 'no type for string' export t.zarr t.npy
[ ! -e t.npy ] || fail "a failed export leaves its file"
refuses 2 'are for NetCDF' export --deflate 3 p.zarr/a b.npy
refuses 2 'ends with .nc or .npy' export p.zarr/a b.txt
if [ -z "${NCGEN:-}" ] || [ -z "${NCDUMP:-}" ]; then
    echo "SKIPPED: ncgen, ncdump or the NetCDF helper is not here; export was tested to .npy only"
    [ "$failures" -eq 0 ] || finish
    exit 77
fi

# There and back: types, values, attributes, dimensions, orders, groups, the kind of file.
cat >all.cdl <<'END'
netcdf x {
dimensions: time = UNLIMITED ; lat = 3 ; lon = 4 ; letters = 5 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ;
  float zeta(time, lat, lon) ;
    zeta:_FillValue = NaNf ; zeta:missing_value = NaNf ; zeta:d = 0.1 ; zeta:f = 0.1f ; zeta:bytes = 1b, -2b ; zeta:i = 5 ;
    zeta:s = 7s, -32768s ; zeta:big = 9223372036854775807LL, -9223372036854775808LL ; zeta:ub = 200ub ; zeta:us = 65535us ;
    zeta:ui = 4294967295u ; zeta:ul = 18446744073709551615ull ; string zeta:words = "a", "b\"c", "\316\264" ;
    string zeta:word = "one" ; zeta:inf = -Infinityf, Infinityf ; zeta:whole = 2. ; zeta:empty = "" ;
  char name(lat, letters) ; name:_FillValue = "x" ;
  short s(lat) ; s:_FillValue = -999s ;
  double d(lat) ; d:_FillValue = 1e20 ;
  int scalar ; string str(lon) ;
  ubyte ub(lat) ; ushort us(lat) ; uint ui(lat) ; int64 l(lat) ; uint64 ul(lat) ; byte b(lat) ; int a_last(time, lat) ;
  :title = "test" ; :latin = "caf\351" ;
data:
  time = 1, 2 ;
  zeta = 1, 2, 3, 4, 5, 6, _, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24.5 ;
  name = "abcde", "xyz", "q" ; s = 1, _, 3 ; d = 1.5, _, 3 ; scalar = 42 ; str = "alpha", "", "gamma", "\316\264" ;
  ub = 1, 2, 255 ; us = 1, 2, 65535 ; ui = 1, 2, 4294967295 ; l = -1, 2, 9223372036854775807 ;
  ul = 1, 2, 18446744073709551615 ; b = -128, 0, 127 ;
group: z_first {
  dimensions: z = 2 ; lat = 2 ;
  variables: float w(z, lat) ; w:units = "m" ;
  :about = "sub" ;
  data: w = 1, 2, 3, 4 ;
  group: deep { variables: int v(z, time) ; data: v = {7, 8}, {9, 10} ; }
  }
group: a_second { variables: int v(lon) ; data: v = 1, 2, 3, 4 ; }
}
END
# round_trip FILE.nc [OPTIONS OF EXPORT]: the same, by ncdump and by compare.
round_trip() {
    source=$1
    shift
    ok import -q --overwrite "$source" rt.zarr
    ok export -q --overwrite "$@" rt.zarr rt.nc
    "$NCDUMP" -n x "$source" >wanted && "$NCDUMP" -n x rt.nc >got
    cmp -s wanted got || fail "$source $*: $(diff wanted got | head -20)"
    has 'identical, bit for bit$' compare rt.nc rt.zarr
}
"$NCGEN" -4 -o all.nc all.cdl || fail "ncgen"
round_trip all.nc
round_trip all.nc --deflate 4
"$NCDUMP" -s -h rt.nc | grep -q '_DeflateLevel = 4' || fail "nothing is deflated"
ok import -q --overwrite --format 2 all.nc two.zarr
ok export -q two.zarr two.nc
"$NCDUMP" -n x all.nc >wanted && "$NCDUMP" -n x two.nc >out && same wanted out
cat >old.cdl <<'END'
netcdf x {
dimensions: t = UNLIMITED ; x = 3 ;
variables: short v(t, x) ; v:scale_factor = 0.01f ; v:add_offset = 273.15 ; int n(x) ; byte a(t) ;
data: v = 1, 2, 3, 4, 5, 6 ; n = 7, 8, 9 ; a = 1, 2 ;
}
END
for kind in 3 5 6 7; do # classic, cdf5, 64-bit offset, netCDF-4 classic model
    "$NCGEN" -"$kind" -o old.nc old.cdl || fail "ncgen -$kind"
    round_trip old.nc
    wanted_kind=$("$NCDUMP" -k old.nc)
    [ "$("$NCDUMP" -k rt.nc)" = "$wanted_kind" ] || fail "the kind of file is $("$NCDUMP" -k rt.nc), not $wanted_kind"
done
ok export -q --overwrite --format cdf5 rt.zarr rt.nc
[ "$("$NCDUMP" -k rt.nc)" = cdf5 ] || fail "--format cdf5: $("$NCDUMP" -k rt.nc)"

# What no NetCDF file was the source of.
ok create --group --attrs '{"n": 5, "big": 5000000000, "f": 0.5, "list": [1, 2.5], "s": ["a", "b"], "yes": true,
 "o": {"a": [1]}}' o.zarr
ok create --shape 2,3 --dtype bool --dims y,x o.zarr/b
ok create --shape 4,3 --dtype int4 --dims y,x --attrs '{"_FillValue": -1}' o.zarr/i4
ok create --shape 3 --dtype '{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}' o.zarr/t
ok create --shape 0,3 --dtype float32 --attrs '{"_FillValue": "AAAAAAAA+H8="}' o.zarr/e
ok create --shape 3 --dtype complex64 o.zarr/z
ok create --shape 2 --dtype string o.zarr/g/s
printf '\001\0\0\0a\003\0\0\0b"c' | zl put o.zarr/g/s -
ok create --shape 3 --dtype float16 o.zarr/h
printf '\0\074\0\300\0\174' | zl put o.zarr/h -
zl export -q o.zarr o.nc 2>err || fail "export: $(cat err)"
[ "$(cat err)" = 'zarrlite: export: warning: z is skipped: NetCDF has no type for its elements' ] ||
    fail "warnings: $(cat err)"
"$NCDUMP" -n o o.nc >out || fail "ncdump"
for line in 'y = 2 ;' 'x = 3 ;' 'y_4 = 4 ;' 'dim_0 = UNLIMITED ; // (0 currently)' 'byte b(y, x) ;' 'b:dtype = "bool" ;' \
    'byte i4(y_4, x) ;' 'i4:_FillValue = -1b ;' 'int64 t(dim_3) ;' 't:units = "seconds since 1970-01-01" ;' \
    'float h(dim_3) ;' ' h = 1, -2, Infinityf ;' 'float e(dim_0, dim_3) ;' 'e:_FillValue = NaNf ;' ':n = 5 ;' ':big = 5000000000LL ;' ':f = 0.5 ;' ':list = 1., 2.5 ;' \
    'string :s = "a", "b" ;' ':yes = 1b ;' ':o = "{\"a\":[1]}" ;' 'string s(dim_2) ;' ' s = "a", "b\"c" ;'; do
    grep -q -F -e "$line" out || fail "ncdump shows no '$line': $(cat out)"
done
has '"variables": \[{"name": "g/s", "type": "string", "shape": \[2\]' export --json o.zarr/g g.nc
has '^p.nc: .* seconds$' export p.zarr/a p.nc
"$NCDUMP" -h p.nc | grep -q 'short a(y, x) ;' || fail "one array: $("$NCDUMP" -h p.nc)"
has '^data  *string  *2' export t.zarr t.nc
refuses 1 'there already' export p.zarr/a p.nc
refuses 1 'no Zarr array or group' export p.zarr/b b.nc
refuses 2 'levels are 1 to 9' export --deflate 10 o.zarr b.nc
refuses 2 'it is netcdf4' export --format hdf5 o.zarr b.nc
refuses 1 'needs --format netcdf4' export --format classic --deflate 1 o.zarr b.nc
printf x >p.zarr/a/c/0/0
refuses 1 'c/0/0' export p.zarr/a bad.nc
[ ! -e bad.nc ] || fail "a failed export leaves its file"
finish
