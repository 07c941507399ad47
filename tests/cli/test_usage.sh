# SPDX-License-Identifier: MIT
# Help, version, wrong use, exit statuses.
. "$(dirname "$0")/lib.sh"

ok --help
for command in info tree ls get put create attrs rm copy validate import export compare; do
    grep -q "^  $command " out || fail "--help does not list $command"
done
for command in info tree ls get put create attrs rm copy validate import export compare; do
    ok help "$command"
    cp out first
    grep -q "^Usage: zarrlite $command " first || fail "no usage line for $command"
    ok "$command" --help
    same first out
    refuses 2 "zarrlite help $command" "$command" --no-such-option
done
has '^zarrlite [0-9]' --version
has '^codecs: bytes ' --version
has '^{"version": "[0-9.]*", "library_version": "[0-9.]*", "codecs": \["bytes", .*"codecs_not_built": \[.*\]}$' --version --json
refuses 2 'goes with --json only' --version --yaml
refuses 2 'Usage:'
refuses 2 "unknown command 'nope'" nope
refuses 2 "unknown command 'nope'" help nope
refuses 2 'an argument is missing' get
refuses 2 'one argument too many' info a b
refuses 2 'needs a value' get --region
refuses 2 'takes no value' info --json=yes a
refuses 2 'a number of 1 or more' get --threads 0 a
refuses 2 'a number of 1 or more' get --threads 2x a
refuses 2 'unknown option .-x' ls -x a
refuses 2 'shape and --dtype' create a.zarr
refuses 2 'not a list of extents' create --shape 3,x --dtype int8 a.zarr
refuses 2 'not a comma-separated list' create --shape 3, --dtype int8 a.zarr
refuses 2 '2 dimensions' create --shape 3,3 --dtype int8 --chunks 2 a.zarr
refuses 2 'no multiple' create --shape 3,3 --dtype int8 --chunks 2,2 --shards 3,2 a.zarr
refuses 2 'is not 2 names' create --shape 3,3 --dtype int8 --dims a a.zarr
refuses 2 'versions 2 and 3' import --format 4 "$script" a.zarr
refuses 2 'no shards' import --format 2 --shards 2 "$script" a.zarr
refuses 2 'versions 2 and 3' create --format 1 --shape 3 --dtype int8 a.zarr
refuses 1 'neither NetCDF nor .npy' import "$script" a.zarr
refuses 1 'cannot read' import missing.nc a.zarr
refuses 1 'is not NetCDF' compare "$script" a.zarr
refuses 1 'is not a folder' info "$script"
[ ! -e a.zarr ] || fail "wrong use leaves a folder"

# "--" ends options; short flags; attached values.
ok create --shape 2 --dtype=int8 -- -odd.zarr
is '[0, 0]' get --format json -- -odd.zarr
ok get --format json -oout.json -- -odd.zarr
[ -f out.json ] || fail "-oFILE"
finish
