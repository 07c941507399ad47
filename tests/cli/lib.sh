# SPDX-License-Identifier: MIT
# Read by each test_*.sh: a temporary folder, and checks that count.
set -u
LC_ALL=C
export LC_ALL
: "${ZARRLITE:?the tool to test}"
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0") # a file that is neither store nor source
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
cd "$folder" || exit 1
failures=0

zl() { "$ZARRLITE" "$@"; }

fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
}

# ok COMMAND...: the tool succeeds and says nothing on stderr.
ok() {
    "$ZARRLITE" "$@" >out 2>err || fail "status $?: $*: $(cat err)"
    [ ! -s err ] || fail "unexpected message: $*: $(cat err)"
}

# is TEXT COMMAND...: the tool succeeds and prints exactly TEXT.
is() {
    wanted=$1
    shift
    ok "$@"
    got=$(cat out)
    [ "$got" = "$wanted" ] || fail "$*
  wanted: $wanted
  got:    $got"
}

# has PATTERN COMMAND...: the tool succeeds and prints a line that matches.
has() {
    pattern=$1
    shift
    ok "$@"
    grep -q -e "$pattern" out || fail "no line matches '$pattern': $*: $(cat out)"
}

# refuses STATUS PATTERN COMMAND...: the tool ends with STATUS and a message that matches.
refuses() {
    status=$1
    pattern=$2
    shift 2
    "$ZARRLITE" "$@" >out 2>err
    got=$?
    [ "$got" -eq "$status" ] || fail "status $got, not $status: $*: $(cat err)"
    grep -q -e "$pattern" err || fail "no message matches '$pattern': $*: $(cat err)"
}

# has_codec NAME: is it in this build?
has_codec() { zl --version | grep -q "^codecs:.* $1\( \|\$\)"; }

# has_zip: are ZIP archives in this build?
has_zip() {
    ok create --group has_zip.zarr
    zl copy -q has_zip.zarr has_zip.zip 2>err || ! grep -q ZL_WITH_ZIP err
}

# same FILE FILE
same() { cmp "$1" "$2" >err 2>&1 || fail "$(cat err)"; }

# numbers FROM TO: int16 little-endian, one after another, below 256.
numbers() {
    i=$1
    while [ "$i" -lt "$2" ]; do
        printf "\\$(printf %03o "$i")\\000"
        i=$((i + 1))
    done
}

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
    exit 0
}
