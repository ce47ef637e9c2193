#!/bin/sh
# run.sh BUILD - installs the build tree BUILD into a temporary prefix and uses the installation:
# through CMake, through pkg-config, from C++, and as a command.
# Uses CMAKE, CC, CXX and EMULATOR (for cross builds) from the environment.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
cmake=${CMAKE:-cmake}
cc=${CC:-cc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/prefix

die() {
    echo "install test: $*" >&2
    exit 1
}

# ranks PROGRAM - the program prints the ranks of the five scores.
ranks() {
    # shellcheck disable=SC2086 # an emulator and its options are words
    got=$(${EMULATOR:-} "$1") || die "$1 failed"
    [ "$got" = "1 2 2 4 5" ] || die "$1 printed '$got'"
}

DESTDIR=$tmp/stage "$cmake" --install "$build" --prefix /usr/local >"$tmp/log" ||
    die "DESTDIR installation failed: $(cat "$tmp/log")"
[ -x "$tmp/stage/usr/local/bin/ordo" ] || die "DESTDIR was not honoured"
"$cmake" --install "$build" --prefix "$prefix" >"$tmp/log" ||
    die "installation failed: $(cat "$tmp/log")"
for file in bin/ordo include/ordo.h include/ordo/sort.hpp; do
    [ -f "$prefix/$file" ] || die "$file is not installed"
done
for program in ordo ordo-mpi; do # a cross build has no manual, and ordo-mpi needs an MPI
    if [ ! -f "$build/manual/made" ] || [ ! -f "$prefix/bin/$program" ]; then
        continue
    fi
    for file in man/man1/$program.1 bash-completion/completions/$program zsh/site-functions/_$program \
        fish/vendor_completions.d/$program.fish; do
        [ -s "$prefix/share/$file" ] || die "share/$file is not installed"
    done
done
pc=$(find "$prefix" -name ordo.pc)
[ -n "$pc" ] || die "ordo.pc is not installed"
if grep -rlF "$build" "$prefix"/lib*/cmake "$pc" "$prefix/include"; then
    die "installed files refer to the build tree"
fi

# shellcheck disable=SC2086
${EMULATOR:-} "$prefix/bin/ordo" version >"$tmp/version" || die "the installed command does not run"
echo "installed: $(cat "$tmp/version")"

"$cmake" -S "$here" -B "$tmp/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    >"$tmp/log" 2>&1 || die "find_package: $(cat "$tmp/log")"
"$cmake" --build "$tmp/consumer" >"$tmp/log" 2>&1 || die "CMake consumer: $(cat "$tmp/log")"
ranks "$tmp/consumer/consumer"
echo "find_package: ok"

if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs ordo)
    libdir=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --variable=libdir ordo)
    # shellcheck disable=SC2086
    "$cc" -std=c11 "$here/main.c" $flags -Wl,-rpath,"$libdir" -o "$tmp/with_pc" ||
        die "pkg-config consumer does not compile"
    ranks "$tmp/with_pc"
    echo "pkg-config: ok"
else
    echo "pkg-config: skipped, not installed"
fi

cxx=${CXX:-c++}
if command -v "$cxx" >/dev/null; then
    printf '#include <ordo.h>\nint main() { return ordo_version() == nullptr; }\n' >"$tmp/main.cc"
    "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$prefix/include" \
        "$tmp/main.cc" || die "ordo.h is not valid C++"
    echo "C++: ok"
else
    echo "C++: skipped, no compiler"
fi

# `make uninstall` removes all files and folders of ordo and keeps other files.
mkdir "$tmp/record"
cp "$build/install_manifest.txt" "$tmp/record/installed.txt"
touch "$prefix/include/other.h"
"$here/../../../scripts/uninstall" "$tmp/record" >"$tmp/log" || die "uninstall: $(cat "$tmp/log")"
left=$(find "$prefix" ! -type d)
[ "$left" = "$prefix/include/other.h" ] || die "uninstall left: $left"
[ -z "$(find "$prefix" -type d -name ordo)" ] || die "uninstall left a folder named ordo"
echo "uninstall: ok"
