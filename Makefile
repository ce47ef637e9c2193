# The front door: make, make demo, make test. CMake does the work; `make help` lists the targets.
#
# Variables
#   CUDA=auto|on|off   the CUDA backend. auto: `make` and `make test` build it where nvcc is,
#                      `make demo` only where a GPU is, too
#   PREFIX, DESTDIR    where `make install` puts files
#   JOBS, WERROR=ON, CC, BENCH (say sort), BENCH_FLAGS (say --quick), GPU_FLAGS (say -q)

PREFIX ?= /usr/local
WERROR ?= OFF
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BENCH ?= sort argsort rank select radius strings scan
BENCH_FLAGS ?=
GPU_FLAGS ?=

# ORDO_CUDA=OFF, as CMake calls it, is understood, too.
CUDA ?= $(or $(ORDO_CUDA),auto)
cuda := $(shell echo '$(CUDA)' | tr a-z A-Z)
ifeq ($(filter AUTO ON OFF,$(cuda)),)
$(error CUDA is '$(CUDA)'; expected auto, on or off)
endif

# The build CMake generates may be a make too, and is not to take over the flags of this one.
CMAKE := env -u MAKEFLAGS -u MAKELEVEL cmake
settings := CUDA=$(cuda) WERROR=$(WERROR)

.PHONY: all demo test test-python test-cross bench gpu-check lint format install uninstall clean help
.PHONY: configured

all: configured
	@$(CMAKE) --build build --parallel $(JOBS) --target ordo_product

# Configures when the settings differ from those of the last time; the build itself notices changes
# to CMake's files and new sources. Ninja is used where it is installed, except in a folder that was
# configured without it.
configured:
	@if [ "$$(cat build/.settings 2>/dev/null)" != '$(settings)' ]; then \
	    scripts/bootstrap build && generator= && \
	    if [ ! -f build/CMakeCache.txt ] && command -v ninja >/dev/null; then generator='-G Ninja'; fi && \
	    $(CMAKE) --preset release $$generator -DORDO_WERROR=$(WERROR) -DORDO_CUDA=$(cuda) && \
	    echo '$(settings)' >build/.settings; \
	fi

# The plugin takes minutes to compile, so a first look at a machine without a GPU leaves it out.
demo: configured
	@plugin=; \
	if [ $(cuda) = ON ] || { [ $(cuda) = AUTO ] && scripts/has-gpu; }; then plugin=ordo_cuda; fi; \
	$(CMAKE) --build build --parallel $(JOBS) --target ordo_command $$plugin
	@scripts/demo build/ordo

test: configured
	@$(CMAKE) --build build --parallel $(JOBS)
	@JOBS=$(JOBS) scripts/test build

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
	@$(CMAKE) --install build --prefix $(PREFIX)
	@scripts/after-install build '$(PREFIX)'

uninstall:
	@scripts/uninstall build

clean:
	rm -rf build build-*

help:
	@echo 'make             build/ordo and build/libordo.so; CUDA=off, CUDA=on: without, with the GPU plugin'
	@echo 'make demo        a first look: sorts and ranks ten million keys and times it'
	@echo 'make test        build and run every test'
	@echo 'make test-python the tests of the Python package alone'
	@echo 'make test-cross  the tests for the other processor (x86-64, aarch64), under qemu'
	@echo 'make bench       measure ordo and its peers (BENCH=sort BENCH_FLAGS=--quick: less)'
	@echo 'make gpu-check   tests, sanitizer and benchmarks of the CUDA backend on this GPU'
	@echo 'make lint        format, static analysis, a clang build without warnings'
	@echo 'make format      apply the format to the C files'
	@echo 'make install     to PREFIX ($(PREFIX)), below DESTDIR if set'
	@echo 'make uninstall   remove what the last make install put there'
	@echo 'make clean       remove every build folder'
