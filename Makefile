# make, make demo, make test. CMake does the work; `make help` lists the targets.
#
# Variables
#   CUDA=auto|on|off   whether to build the GPU plugin. auto: `make` and `make test` build it if nvcc
#                      is installed, `make demo` only if there is also a GPU
#   PREFIX, DESTDIR    where `make install` puts files
#   JOBS, WERROR=ON, CC, BENCH (e.g. sort), BENCH_FLAGS (e.g. --quick), GPU_FLAGS (e.g. -q)
#   MEASURE_FLAGS      options of scripts/measure (e.g. -s rank,hybrid; -q: a quick test of the run);
#                      FORCE=1: measure all again

PREFIX ?= /usr/local
WERROR ?= OFF
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BENCH ?= sort argsort rank select radius strings scan rows
BENCH_FLAGS ?=
MEASURE_FLAGS ?=
GPU_FLAGS ?=

# CMake's name ORDO_CUDA works, too.
CUDA ?= $(or $(ORDO_CUDA),auto)
cuda := $(shell echo '$(CUDA)' | tr a-z A-Z)
ifeq ($(filter AUTO ON OFF,$(cuda)),)
$(error CUDA is '$(CUDA)'; expected auto, on or off)
endif

# CMake may generate makefiles, which must not inherit the flags of this make.
CMAKE := env -u MAKEFLAGS -u MAKELEVEL cmake
settings := CUDA=$(cuda) WERROR=$(WERROR)

.PHONY: all demo test test-python test-cross bench report gpu-check lint format install uninstall clean help
.PHONY: configured test-hosts

all: configured
	@$(CMAKE) --build build --parallel $(JOBS) --target ordo_product

# Runs CMake if the settings have changed since the last time. The build itself notices changed CMake
# files and new sources. Uses Ninja if it is installed and the folder was not configured without it.
# A build folder that was copied or moved with its tree would still build in the old place.
configured:
	@home=$$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' build/CMakeCache.txt 2>/dev/null); \
	if [ -n "$$home" ] && [ "$$(cd "$$home" 2>/dev/null && pwd -P)" != "$$(pwd -P)" ]; then \
	    echo "ordo: build/ was made in $$home; building anew" && rm -rf build; \
	fi
	@if [ "$$(cat build/.settings 2>/dev/null)" != '$(settings)' ]; then \
	    scripts/bootstrap build && generator= && \
	    if [ ! -f build/CMakeCache.txt ] && command -v ninja >/dev/null; then generator='-G Ninja'; fi && \
	    $(CMAKE) --preset release $$generator -DORDO_WERROR=$(WERROR) -DORDO_CUDA=$(cuda) && \
	    echo '$(settings)' >build/.settings; \
	fi

# The plugin takes minutes to compile, so the demo leaves it out on a machine without a GPU.
demo: configured
	@plugin=; \
	if [ $(cuda) = ON ] || { [ $(cuda) = AUTO ] && scripts/has-gpu; }; then plugin=ordo_cuda; fi; \
	$(CMAKE) --build build --parallel $(JOBS) --target ordo_command $$plugin
	@scripts/demo build/ordo

# On a machine with a GPU the test bench_cuda needs the module of its benchmarks.
test: configured
	@scripts/duckdb-header build || echo 'ordo: the functions for DuckDB are not tested'
	@$(CMAKE) --build build --parallel $(JOBS)
	@! scripts/has-gpu || $(CMAKE) --build build --parallel $(JOBS) --target ordo_cuda_peers
	@JOBS=$(JOBS) scripts/test build

# Kills and fails external work at every system call, sorts 4 GiB with 64 MiB, and measures the memory of
# every command that has -S; needs 16 GB of disk.
.PHONY: torture
torture: configured
	@$(CMAKE) --build build --parallel $(JOBS)
	@ORDO_TORTURE=1 ctest --test-dir build --output-on-failure -R '^(external_(kill|faults|limit)|cli_external_steps|cli_limits|mpi_calls)'

test-python: all
	@scripts/python-test build

test-hosts: all
	@scripts/test-hosts build

test-cross:
	@scripts/test-cross

# The peers need a C++ compiler. If they do not build, ordo is measured alone.
bench: all
	@-$(CMAKE) --build build --parallel $(JOBS) --target ordo_peers
	@for subject in $(BENCH); do build/ordo bench $$subject $(BENCH_FLAGS) || exit; done

# docs/report.html and docs/papers.md from the JSON in bench/results. Needs only Python.
report:
	@python3 -B bench/report

# The lists of paths in docs/internals/sorting.md and gpu.md, from the command.
.PHONY: docs
docs: configured
	@$(CMAKE) --build build --parallel $(JOBS) --target ordo_command
	@scripts/document-paths build/ordo
	@scripts/document-options build/ordo

# Needs a GPU and nvcc; GPU_FLAGS=-q is a quick run.
gpu-check:
	@JOBS=$(JOBS) scripts/gpu-check $(GPU_FLAGS)

# Continues where an earlier run stopped; FORCE=1 measures everything again.
.PHONY: measure
measure:
	@JOBS=$(JOBS) scripts/measure $(if $(FORCE),-f) $(MEASURE_FLAGS)

lint:
	@scripts/bootstrap lint
	@JOBS=$(JOBS) scripts/lint

format:
	@scripts/bootstrap lint
	@scripts/format

install: all
	@$(CMAKE) --install build --prefix $(PREFIX)
	@scripts/after-install build '$(PREFIX)'

uninstall:
	@scripts/uninstall build

clean:
	rm -rf build build-*

help:
	@echo 'make             builds build/ordo and build/libordo.so; CUDA=on, CUDA=off: with, without the GPU plugin'
	@echo 'make demo        builds ordo, sorts and ranks ten million keys, prints times'
	@echo 'make test        builds and runs all tests'
	@echo 'make torture     kills and fails external sorts at every system call, sorts 4 GiB with 64 MiB; up to an hour'
	@echo 'make test-python runs only the tests of the Python package'
	@echo 'make test-hosts  compares the tests of NumPy, SciPy and pandas with and without ordo.patch'
	@echo 'make test-cross  runs the tests for the other architecture (x86-64, aarch64) under qemu'
	@echo 'make bench       measures ordo and other libraries (BENCH=sort BENCH_FLAGS=--quick: a part)'
	@echo 'make report      writes docs/report.html and docs/papers.md from bench/results'
	@echo 'make gpu-check   runs tests, compute-sanitizer and benchmarks on the GPU'
	@echo 'make measure     measures everything into bench/results/MACHINE and rebuilds the report; takes up to two hours'
	@echo 'make lint        checks format, includes and warnings, runs static analysis'
	@echo 'make format      formats the C files'
	@echo 'make install     installs to PREFIX ($(PREFIX)), below DESTDIR if set'
	@echo 'make uninstall   removes what the last make install installed'
	@echo 'make clean       removes every build folder'
