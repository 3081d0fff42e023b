# The goals of the Makefile that build what others install: documentation, packages, the libraries for C and Python,
# and the tests of these libraries.

# --- The documentation: a DocC archive of the articles and the libraries' declarations, and plain pages generated from
# it, which need no server. The plugin is a dependency only here.

documentation := .build/documentation
documented := Weighbridge ImageSearch ModelReport Manual

docs: tools := python3:python3:python3
docs: dependencies
	python3 Documentation/reference.py Documentation/Manual/Manual.docc/Generated
	mkdir -p $(documentation)
	WEIGHBRIDGE_DOCUMENTATION=1 SWIFT_SYMBOLGRAPH_EXTRACT=$(CURDIR)/Documentation/symbolgraph-extract \
	  swift package --scratch-path $(documentation)/build $(SWIFT_OPTIONS) \
	  --allow-writing-to-directory $(documentation) generate-documentation \
	  $(foreach target,$(documented),--target $(target)) --output-path $(documentation)/weighbridge.doccarchive \
	  --enable-experimental-combined-documentation --experimental-skip-synthesized-symbols --warnings-as-errors
	python3 Documentation/site.py $(documentation)/weighbridge.doccarchive $(documentation)/html

# --- Packages to be installed by others. For their contents and tests see Packaging/README.md.

MANUAL ?= .build/man1
PACKAGES ?= .build/packages
manual packages-here wheel: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)

# The tool is part of the argument parser, whose sources have been fetched by the program's build.
manual: build
	swift build -c release --package-path $(program_folder)/checkouts/swift-argument-parser \
	  --scratch-path .build/manual --product generate-manual $(SWIFT_OPTIONS)
	Packaging/manual.sh .build/manual/release/generate-manual $(program) "$(MANUAL)"

packages:
	Scripts/packages.sh $(version) "$(PACKAGES)"

# What `make packages` runs in a clone.
packages-here: tools := dpkg-shlibdeps:dpkg-dev: dh:debhelper: lintian:lintian: xz:xz-utils: python3:python3:
packages-here: short_addresses :=
packages-here: program_flags += --jobs 1 -Xswiftc -num-threads -Xswiftc 1
packages-here: export HOMEBREW_LIBRARIES = $(shell Scripts/libraries.sh formulae)
packages-here: manual docs wheel
	Packaging/glibc.sh $(program)
	Packaging/glibc.sh $(library_folder)/lib/$(library_name)
	Packaging/packages.sh $(program) $(map) "$(MANUAL)" $(documentation)/html $(wheel_folder)/dist $(version) "$(PACKAGES)"

# --- The C library, which exports only the symbols of its header.

library_folder := .build/library
library_name := libweighbridge.so.0
C_CYCLES ?= 10000

library: build
ifeq ($(system),Linux)
	Scripts/build-library.sh $(program_folder) "$(archives)" $(library_name) $(program_flags)
	Scripts/lay-out-library.sh $(program_folder)/libweighbridge.so $(version) $(library_folder)
	Packaging/C/check-symbols.sh $(library_folder)/lib/$(library_name) \
	  Sources/CLibraries/CWeighbridge/include/weighbridge.h
else
	@echo "libweighbridge is built on Linux: its symbols are chosen by a version script of ELF." >&2; exit 1
endif

install-library: library
	Scripts/lay-out-library.sh $(program_folder)/libweighbridge.so $(version) "$(DESTDIR)$(PREFIX)" "$(PREFIX)"

# The library built like everything else that is tested.
test_library := .build/test-library
.PHONY: $(test_library)
$(test_library): dependencies
	$(build_for_tests) --product CInterface -Xlinker -soname=$(library_name) \
	  -Xlinker --version-script=$(CURDIR)/Packaging/C/libweighbridge.map
	Scripts/lay-out-library.sh .build/release/libCInterface.so $(version) $@

test-c: $(test_library)
	Scripts/test-c.sh $< $(C_CYCLES)

# Valgrind supports neither AVX-512 nor DWARF 5.
test-c-valgrind: tools := valgrind:valgrind:valgrind
test-c-valgrind: $(test_library)
	Scripts/lay-out-library.sh $</lib/$(library_name) $(version) .build/valgrind-library
	strip --strip-debug .build/valgrind-library/lib/libweighbridge.so.$(version)
	WEIGHBRIDGE_MAX_ISA=avx2 Scripts/test-c.sh .build/valgrind-library $(C_CYCLES) -gdwarf-4 -- valgrind \
	  --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
	  --child-silent-after-fork=yes --suppressions=Tests/CInterface/valgrind.supp

test-c-sanitize: dependencies
	swift build --product CInterface --scratch-path .build/address --sanitize address \
	  -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined -Xlinker -lubsan
	Scripts/lay-out-library.sh .build/address/debug/libCInterface.so $(version) .build/address-library
	ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 Scripts/test-c.sh .build/address-library $(C_CYCLES) \
	  -fsanitize=address,undefined

# --- The package for Python, and its wheel, which contains the library and the program, linked for older systems too.

python_environment = WEIGHBRIDGE_LIBRARY=$(CURDIR)/$(test_library)/lib/$(library_name) \
  WEIGHBRIDGE_PROGRAM=$(CURDIR)/.build/release/weighbridge PYTHONPATH=$(CURDIR)/Python/src PYTHONDONTWRITEBYTECODE=1
pytest := -m pytest -q -rs -p no:cacheprovider

# Cluster jobs use the program to convert models.
test-program: $(test_library)
	$(build_for_tests) --product weighbridge

test-python: test-program
	$(python_environment) Scripts/test-python.sh $(PYTHON)

test-cluster: $(cluster)/done test-program
	$(python_environment) $(cluster)/bin/python $(pytest) Python/tests/cluster Python/tests/test_cluster.py
	Scripts/check-types.sh $(cluster)/bin/python

wheel_folder := .build/wheel
wheel: library
	$(program_environment) swift build -c release --product weighbridge \
	  --scratch-path $(program_folder) $(program_flags)
	Packaging/Python/stage.sh $(program) $(map) $(library_folder)/lib/$(library_name) $(map)-library $(version) \
	  $(wheel_folder)/native
	rm -rf $(wheel_folder)/dist
	cd Python && WEIGHBRIDGE_NATIVE=$(CURDIR)/$(wheel_folder)/native PYTHONPATH=backend \
	  $(PYTHON) -c 'import wheel_builder; print(wheel_builder.build_wheel("$(CURDIR)/$(wheel_folder)/dist"))'

# The wheel in a separate environment.
test-wheel: wheel
	rm -rf $(wheel_folder)/environment
	$(PYTHON) -m venv $(wheel_folder)/environment
	$(wheel_folder)/environment/bin/pip install -q "$$(ls $(wheel_folder)/dist/*.whl)[cluster]" pytest
	$(wheel_folder)/environment/bin/weighbridge --version
	PYTHONDONTWRITEBYTECODE=1 $(wheel_folder)/environment/bin/python $(pytest) --ignore Python/tests/cluster Python/tests
