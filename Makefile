# The front door: make, make demo, make test. CMake does the work; `make help` lists the targets.
#
# Variables: PREFIX, DESTDIR (install), JOBS, WERROR=ON, CC; BENCH (say sort), BENCH_FLAGS (say
# --quick), GPU_FLAGS (say -q).

PREFIX ?= /usr/local
WERROR ?= OFF
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BENCH ?= sort argsort rank select radius strings scan
BENCH_FLAGS ?=
GPU_FLAGS ?=

# The build CMake generates may be a make too, and is not to take over the flags of this one.
CMAKE := env -u MAKEFLAGS -u MAKELEVEL cmake

.PHONY: all demo test test-python test-cross bench gpu-check lint format install clean help

all: build/.configured
	@$(CMAKE) --build build --parallel $(JOBS) --target ordo_product

# Configured once; the build itself notices changes to CMake's files and new sources. Ninja is
# used where it is installed, except in a folder that was configured without it.
build/.configured:
	@scripts/bootstrap build
	@generator=; \
	if [ ! -f build/CMakeCache.txt ] && command -v ninja >/dev/null; then generator='-G Ninja'; fi; \
	$(CMAKE) --preset release $$generator -DORDO_WERROR=$(WERROR)
	@touch $@

demo: all
	@scripts/demo build/ordo

test: build/.configured
	@$(CMAKE) --build build --parallel $(JOBS)
	@ctest --test-dir build --output-on-failure --parallel $(JOBS) --no-tests=error
	@scripts/python-test build

# With the Python at hand where it has what is needed, else in a virtual environment below build/.
test-python: all
	@scripts/python-test build

test-cross:
	@scripts/test-cross

# The peers need a C++ compiler; without one, or if they do not build, ordo is measured alone.
bench: all
	@-$(CMAKE) --build build --parallel $(JOBS) --target ordo_peers
	@for subject in $(BENCH); do build/ordo bench $$subject $(BENCH_FLAGS) || exit; done

# Needs a GPU and nvcc; GPU_FLAGS=-q for a quick one.
gpu-check:
	@JOBS=$(JOBS) scripts/gpu-check $(GPU_FLAGS)

lint:
	@scripts/bootstrap lint
	@JOBS=$(JOBS) scripts/lint

format:
	@scripts/bootstrap lint
	@scripts/format

install: all
	$(CMAKE) --install build --prefix $(PREFIX)

clean:
	rm -rf build build-*

help:
	@echo 'make            build/ordo and build/libordo.so'
	@echo 'make demo       a first look: make ten million keys, rank them, time it'
	@echo 'make test       build and run every test'
	@echo 'make test-python the tests of the Python package alone'
	@echo 'make test-cross the tests for the other processor (x86-64, aarch64), under qemu'
	@echo 'make bench      measure ordo and its peers (BENCH=sort BENCH_FLAGS=--quick: less)'
	@echo 'make gpu-check  tests, sanitizer and benchmarks of the CUDA backend on this GPU'
	@echo 'make lint       format, static analysis, a clang build without warnings'
	@echo 'make format     bring the C files into shape'
	@echo 'make install    to PREFIX ($(PREFIX)), below DESTDIR if set'
	@echo 'make clean      remove every build folder'
