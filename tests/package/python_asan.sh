#!/bin/sh
# python_asan.sh SOURCE BUILD - tests of the Python package with the library and the extension module
# of a build with AddressSanitizer: short calls, memory of results, processes and threads. Uses
# $PYTHON, or the virtual environment that scripts/python-test has made in SOURCE/build, or python3.
set -eu
source=$1
build=$2

skip() {
    echo "not run: $*"
    exit 77
}

for python in "${PYTHON:-}" "$source/build/venv/bin/python" python3; do
    if "$python" -c 'import hypothesis, pytest, numpy
assert int(numpy.__version__.split(".")[0]) >= 2' 2>/dev/null; then
        break
    fi
    [ "$python" != python3 ] || skip "python3 lacks NumPy 2, pytest or hypothesis"
done
runtime=$("${CC:-cc}" -print-file-name=libasan.so)
[ -f "$runtime" ] || skip "${CC:-cc} has no shared libasan"
LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 "$python" -c 'import numpy' 2>/dev/null ||
    skip "$python does not run with $runtime"
PYTHON=$python "$source/scripts/python-ext" "$build" || skip "the extension module was not built"

# Python's own blocks of memory come from malloc, so that the sanitizer sees each of them. Leaks are
# not searched, because Python keeps memory until its end. Some tests limit the address space, or
# start many processes, which takes long.
cd "$source/python"
LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
    PYTHONMALLOC=malloc ORDO_LIBRARY=$build/libordo.so PYTHONPATH=$PWD \
    PYTHONDONTWRITEBYTECODE="" PYTHONPYCACHEPREFIX=$build/pycache \
    HYPOTHESIS_STORAGE_DIRECTORY=$build/hypothesis \
    exec "$python" -m pytest -q -p no:cacheprovider --durations=5 \
    tests/test_quick.py tests/test_rooms.py tests/test_workers.py \
    -k "not unmapped and not exit and not variables and not workers_of and not tensors"
