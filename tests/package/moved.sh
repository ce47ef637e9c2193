#!/bin/sh
# moved.sh ROOT - a copy of a tree that was built elsewhere configures its own build folder.
set -eu
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MAKELEVEL

mkdir -p "$tmp/old" "$tmp/new/build"
tar -C "$root" --exclude='./build*' --exclude=./bench/results --exclude=./.git -cf - . | tar -C "$tmp/new" -xf -
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$tmp/old" >"$tmp/new/build/CMakeCache.txt"
echo 'CUDA=OFF WERROR=OFF' >"$tmp/new/build/.settings"
: >"$tmp/new/build/of-the-old-tree"

make -C "$tmp/new" configured CUDA=off >"$tmp/log" 2>&1 || {
    cat "$tmp/log"
    exit 1
}
grep -q "build/ was made in $tmp/old" "$tmp/log" || {
    echo "moved.sh: make does not say that it builds anew" >&2
    exit 1
}
home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$tmp/new/build/CMakeCache.txt")
if [ "$(cd "$home" && pwd -P)" != "$(cd "$tmp/new" && pwd -P)" ] || [ -e "$tmp/new/build/of-the-old-tree" ]; then
    echo "moved.sh: the build folder of the copy belongs to '$home'" >&2
    exit 1
fi

make -C "$tmp/new" configured CUDA=off >"$tmp/log" 2>&1
if grep . "$tmp/log" | grep -v '^make'; then
    echo "moved.sh: make configures a second time" >&2
    exit 1
fi
echo "configured in the copy"
