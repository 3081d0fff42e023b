# Targets. Each installs missing system libraries and says which.
#
#   make demo       builds the program, converts the sample detector, inspects and verifies it
#   make build      the release program, .build/program/release/weighbridge: Swift's runtime and,
#                   where their archives are installed, all other libraries linked into it
#   make install    copies the program to PREFIX/bin; PREFIX=/usr/local by default
#   make manual     the manual pages, in MANUAL (.build/man1)
#   make docs       the documentation as pages, .build/documentation/html/index.html, and as a DocC archive
#   make packages   a tarball, a .deb, a Homebrew formula and the Python wheel, with bills of materials,
#                   in PACKAGES (.build/packages); see Packaging/README.md
#   make test       all tests in release, the format check, and a package that depends on this one
#   make test-avx-vnni  int8 convolutions for processors with AVX-VNNI, emulated; part of make test on x86-64 Linux
#   make test-faults    makes every C library call on the way to an output fail, and prints their number
#   make fuzz       runs every reader under libFuzzer for FUZZ_SECONDS (60) each; findings and the corpus
#                   are kept in .build/fuzzing. FUZZ_TARGETS selects some of the readers
#   make mutate     reads MUTATIONS (20000) mutated files with each reader, and every hundredth with the program
#   make sanitize   the tests under AddressSanitizer, the C code with checks for undefined behavior,
#                   and tests of parallel code under ThreadSanitizer
#   make peers      a Python environment with the tools that read exported models, from PyPI
#   make test-peers exports every recorded model and runs it in these tools
#   make test-pages opens reports in Chromium, which must be installed, and checks them with axe-core, from PyPI
#   make studio     builds the local web page of Studio/ and opens it on the samples; STUDIO_OPTIONS
#   make test-studio  its tests, also in Chromium
#   make generate   regenerates all generated files: C code from the .proto files, the README's output, the tables
#   make format     formats all Swift files
#   make bench      all benchmarks, one after the other, on a Tiny YOLO with random weights:
#   make bench-files       converting and inspecting compared with cp; MODEL=FILE.h5 for another model
#   make bench-conversion  converting compared with coremltools and tf2onnx, from PyPI; MODEL likewise
#   make bench-inference   running models compared with onnxruntime, OpenVINO, ncnn and OpenCV, from PyPI;
#                          BENCH_OPTIONS for `Benchmarks/Inference/measure.py`
#   make bench-compact     the size of compacted models compared with other tools; COMPACT_MODELS selects some
#   make bench-search      searching an index of 100,000 images, and indexing 1,000
#   make library    libweighbridge for C, with its header and pkg-config file, in .build/library
#   make install-library  copies them to PREFIX
#   make test-c     the tests of the C interface; test-c-valgrind and test-c-sanitize: under valgrind
#                   and AddressSanitizer. C_CYCLES (10000): how often to open, run and close
#   make test-python  the tests and the type checks of the Python package
#   make test-cluster  Python jobs on Ray, Spark and an object store, all on this machine, from PyPI
#   make wheel      the Python wheel, in .build/wheel/dist; test-wheel: its tests, installed
#   make bench-python  running models from Python compared with the program
#   make bench-cluster jobs on Ray and Spark: files per second with one worker and with two
#   make clean      removes everything that was built
#
# Swift 6.2 or later, git and make are required. System libraries come from apt on Debian and Ubuntu and from Homebrew
# on macOS.

PREFIX ?= /usr/local
MODEL ?= $(sample)/shape-detector.h5

# The version is defined in the library.
version := $(shell sed -n 's/.*weighbridgeVersion = "\(.*\)"/\1/p' Sources/Product/Weighbridge/Model+Writing.swift)

# libweighbridge and everything based on it are built only on Linux.
ifeq ($(shell uname -s),Linux)
interface_tests := test-c test-python
# Kernels for processors of another kind.
emulated_tests := $(if $(filter x86_64,$(shell uname -m)),test-avx-vnni)
endif

SHELL := /bin/bash
.PHONY: demo build install test lint consumer generate format bench clean dependencies archives peers test-peers \
  bench-files bench-inference bench-conversion bench-search bench-compact test-pages test-faults fuzz mutate sanitize \
  manual packages docs
.DEFAULT_GOAL := build

# The program has a separate build folder, so that its flags and those of the tests do not invalidate each other's
# builds.
program_folder := .build/program
program := $(program_folder)/release/weighbridge
map := $(CURDIR)/$(program_folder)/map
archives := $(CURDIR)/.build/archives

# --- System libraries: the pkg-config module, the apt package, the Homebrew formula.

homebrew_libraries := hdf5::hdf5 libprotobuf-c::protobuf-c libxxhash::xxhash \
  libcrypto::openssl@3 zlib::zlib yaml-0.1::libyaml libjpeg::jpeg-turbo libpng::libpng \
  sqlite3::sqlite
ifeq ($(shell uname -s),Darwin)
libraries := $(homebrew_libraries)
else
libraries := hdf5-serial:libhdf5-dev: libprotobuf-c:libprotobuf-c-dev: \
  libxxhash:libxxhash-dev: libcrypto:libssl-dev: zlib:zlib1g-dev: \
  yaml-0.1:libyaml-dev: libjpeg:libjpeg-dev: libpng:libpng-dev: sqlite3:libsqlite3-dev:
endif

# Homebrew keeps some libraries outside pkg-config's default folders.
ifeq ($(shell uname -s),Darwin)
export PKG_CONFIG_PATH := $(shell for name in openssl@3 zlib sqlite; do \
  printf '%s/lib/pkgconfig:' "$$(brew --prefix $$name 2>/dev/null)"; done)$(PKG_CONFIG_PATH)
endif

dependencies:
	@set -eu; missing=; \
	install() { echo "Installing$$missing"; "$$@" $$missing; }; \
	add() { for name; do missing="$$missing $$name"; done; }; \
	column=2; command -v apt-get >/dev/null || column=3; \
	command -v pkg-config >/dev/null || \
	  if [ $$column = 2 ]; then add pkg-config; else add pkgconf; fi; \
	for tool in $(tools); do \
	  command -v "$${tool%%:*}" >/dev/null || add "$$(echo "$$tool" | cut -d: -f$$column)"; \
	done; \
	for library in $(libraries); do \
	  pkg-config --exists "$${library%%:*}" 2>/dev/null || \
	    add "$$(echo "$$library" | cut -d: -f$$column)"; \
	done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if command -v apt-get >/dev/null; then \
	  root=env; if [ "$$(id -u)" != 0 ]; then root="sudo env"; fi; \
	  $$root apt-get update -qq; \
	  install $$root DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -qq --no-install-recommends; \
	elif command -v brew >/dev/null; then \
	  install brew install; \
	else \
	  echo "There is neither apt nor Homebrew; please install what pkg-config knows as:" >&2; \
	  for library in $(libraries); do echo "  $${library%%:*}" >&2; done; exit 1; \
	fi

# --- The program.

# Linux: a folder that contains only archives, and pkg-config files that point there first. A linker that finds an
# archive and no shared library uses the archive. (The shared libhdf5 alone pulls in 37 libraries, which takes longer
# than `inspect`.) Libraries without an archive stay shared. Functions are in separate sections, nothing is exported,
# and Swift's own linker drops unused functions; relocations are stored in the packed form if the system's C library can
# read it. A process then has 4 MB less of the program in memory. (Packages for other systems use the unpacked form,
# which glibc before 2.36 can read too.)
short_addresses := -z pack-relative-relocs
# The linker's map tells the packages what is in the program. The source folder's path is not in the program, neither in
# C's assertions nor in the digests by which Swift would recognize an unchanged file: the same sources give the same
# bytes anywhere. No debug information is generated, since the linker would drop it.
program_flags := -Xcc -ffile-prefix-map=$(CURDIR)=. -Xswiftc -gnone \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
ifeq ($(shell uname -s),Linux)
program_flags += --disable-local-rpath --static-swift-stdlib -Xlinker -s -Xswiftc -use-ld=lld \
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --no-export-dynamic -Xlinker --icf=safe \
  -Xlinker -Map=$(map)
program_environment := PKG_CONFIG_PATH="$(archives):$$PKG_CONFIG_PATH"
endif

archives: dependencies
ifeq ($(shell uname -s),Linux)
	@set -eu; rm -rf "$(archives)"; mkdir -p "$(archives)"; \
	archive() { \
	  path=$$(clang -print-file-name="lib$$1.a"); \
	  if [ "$${path#/}" != "$$path" ]; then ln -s "$$path" "$(archives)/lib$$2.a"; fi; \
	}; \
	for name in sz aec z protobuf-c xxhash crypto stdc++ yaml jpeg png16 sqlite3; do archive $$name $$name; done; \
	archive hdf5_serial hdf5; \
	hdf5="-lhdf5 -lsz -laec -lz -lcrypto -ldl -lm -lpthread"; \
	if ! echo 'int H5open(void); int main(void) { return H5open(); }' \
	  | clang -x c - -L"$(archives)" $$hdf5 -o "$(archives)/probe" 2>/dev/null; then \
	  rm -f "$(archives)/libhdf5.a"; hdf5=; \
	fi; \
	for library in $(libraries); do module=$${library%%:*}; \
	  extra=; case $$module in \
	    hdf5-serial) extra=$$hdf5;; libpng) extra="-lpng16 -lz -lm";; \
	    sqlite3) extra="-lsqlite3 -lz -lm";; \
	  esac; \
	  printf 'Name: %s\nDescription: its archive\nVersion: 0\nCflags: %s\nLibs: %s\n' \
	    $$module "$$(pkg-config --cflags $$module)" \
	    "-L$(archives) $$extra $$(pkg-config --libs $$module)" > "$(archives)/$$module.pc"; \
	done; \
	flags='$(short_addresses)'; \
	if [ -n "$$flags" ] && echo 'int main(void) { return 0; }' | clang -x c - -fuse-ld=lld -fPIE -pie \
	  $$(printf -- '-Xlinker %s ' $$flags) -o "$(archives)/probe" 2>/dev/null \
	  && "$(archives)/probe"; then \
	  printf -- '-Xlinker %s ' $$flags; \
	fi > "$(archives)/flags"
endif

# SWIFT_OPTIONS are further options of `swift build`; inside Homebrew, --disable-sandbox.
build: archives
	$(program_environment) swift build -c release --product weighbridge \
	  --scratch-path $(program_folder) $(program_flags) $$(cat "$(archives)/flags" 2>/dev/null) \
	  $(SWIFT_OPTIONS)

install: build
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(program) "$(DESTDIR)$(PREFIX)/bin/weighbridge"

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
manual_tool := .build/manual/release/generate-manual

manual packages-here wheel: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)

# The tool is part of the argument parser, whose sources have been fetched by the program's build.
manual: build
	swift build -c release --package-path $(program_folder)/checkouts/swift-argument-parser \
	  --scratch-path .build/manual --product generate-manual $(SWIFT_OPTIONS)
	Packaging/manual.sh $(manual_tool) $(program) "$(MANUAL)"

# Packages are built from the committed sources, always in the same folder, at the same memory addresses, with the same
# environment and one compiler at a time: the location of the sources and the addresses of the compiler's own objects
# can change its output.
packages_source := /tmp/weighbridge-$(version)-packages
same_addresses = $(shell setarch -R true 2>/dev/null && echo setarch -R)
kept_environment := PATH HOME http_proxy https_proxy no_proxy PYTHON RELEASES SOURCE_DATE_EPOCH
.PHONY: packages-here

ifeq ($(shell uname -s),Linux)
packages:
	@set -eu; mkdir $(packages_source) || { echo "Another \`make packages\` is at work there, or was killed." >&2; exit 1; }; \
	trap 'rm -rf $(packages_source)' EXIT; \
	git clone -q . $(packages_source); \
	env -i $(foreach name,$(kept_environment),$(if $($(name)),$(name)='$($(name))')) \
	  $(same_addresses) $(MAKE) -C $(packages_source) packages-here PACKAGES=$(packages_source)/.build/packages; \
	mkdir -p "$(PACKAGES)"; rm -f "$(PACKAGES)"/weighbridge[-_.]* "$(PACKAGES)"/SHA256SUMS; \
	mv $(packages_source)/.build/packages/* "$(PACKAGES)"

packages-here: tools := dpkg-shlibdeps:dpkg-dev: dh:debhelper: lintian:lintian: xz:xz-utils: python3:python3:
packages-here: short_addresses :=
packages-here: program_flags += --jobs 1 -Xswiftc -num-threads -Xswiftc 1
packages-here: export HOMEBREW_LIBRARIES = \
  $(foreach library,$(homebrew_libraries),$(lastword $(subst :, ,$(library))))
packages-here: manual docs wheel
	Packaging/glibc.sh $(program)
	Packaging/glibc.sh $(library_folder)/lib/$(library_name)
	Packaging/packages.sh $(program) $(map) "$(MANUAL)" $(documentation)/html $(wheel_folder)/dist $(version) "$(PACKAGES)"
else
packages:
	@echo "Packages are made on Debian or Ubuntu, with their tools." >&2; exit 1
endif

# --- The demonstration: a detector of drawn shapes, trained with Keras 2.1.5.

sample := Samples/Models/shape-detector
demo: build
	@echo
	@$(sample)/demo.sh $(program) .build/demo

# --- Tests.

# The names of the instruction sets of an x86 processor; none for others.
processor_flags = $(shell grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null \
  || sysctl -n machdep.cpu.features machdep.cpu.leaf7_features 2>/dev/null | tr 'A-Z\n' 'a-z ')

# Some tests access a module's internals; a release build allows that only with this flag.
test_flags := -c release -Xswiftc -enable-testing

test: dependencies lint
	swift build $(test_flags) --build-tests
	swift test $(test_flags) --skip-build
	# The engine and the decoders again: with AVX-512 alone, with AVX-VNNI, with AVX2, which most machines have, and
	# with what all have. Where an instruction set is missing, and on ARM, they would repeat the same tests.
	@for instructions in avx512 avx2_vnni avx2 portable; do \
	  case $$instructions in \
	    avx512) needed="avx512f avx512vl avx512dq avx512bw";; \
	    avx2_vnni) needed="avx2 fma avx_vnni";; \
	    avx2) needed="avx2 fma";; \
	    portable) needed=fpu;; \
	  esac; \
	  missing=; \
	  for flag in $$needed; do \
	    case " $(processor_flags) " in *" $$flag "*) ;; *) missing=$$flag;; esac; \
	  done; \
	  if [ -n "$$missing" ]; then \
	    echo "This processor has no $$missing: the tests with $$instructions are skipped."; continue; \
	  fi; \
	  echo "The tests with $$instructions:"; \
	  WEIGHBRIDGE_MAX_ISA=$$instructions swift test $(test_flags) --skip-build \
	    --filter 'CPURuntimeTests|TensorEncodingTests|DarknetFixtureTests|FixtureModelTests' || exit 1; \
	done
	# The targets for fuzzing, which nothing else here builds, and some changed files.
	WEIGHBRIDGE_FUZZ=1 swift build $(test_flags) --product Mutate
	.build/release/Mutate hdf5 0 2000
	.build/release/Mutate keras 0 1000
	@$(MAKE) --no-print-directory consumer $(emulated_tests) $(interface_tests)

kernels := Sources/CLibraries/CKernels

.PHONY: test-avx-vnni
test-avx-vnni:
	@mkdir -p .build/emulation
	clang -std=gnu11 -O2 -Wall -Wextra -I$(kernels) -I$(kernels)/include Tests/Emulation/avx_vnni.c $(kernels)/*.c \
	  -lm -lpthread -o .build/emulation/avx_vnni
	.build/emulation/avx_vnni

lint:
	@if swift format --version >/dev/null 2>&1; then \
	  echo "swift format lint --strict"; \
	  swift format lint --strict --recursive --parallel Sources Studio Tests Package.swift; \
	else \
	  echo "No swift format here: the format is not checked."; \
	fi

# A separate package that depends on a tagged copy of the working tree, as a user's would. (In debug mode, because for
# its plugin everything is compiled twice.)
consumer: dependencies
	@set -eu; folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; copy=$$folder/weighbridge; \
	mkdir "$$copy"; \
	git ls-files -z --cached --others --exclude-standard -- Package.swift Sources Tests \
	  | tar -cf - --null -T - | tar -xf - -C "$$copy"; \
	git -C "$$copy" init -q; git -C "$$copy" add -A; \
	git -C "$$copy" -c user.name=consumer -c user.email=consumer@localhost commit -q -m Copy; \
	git -C "$$copy" tag $(version); \
	echo "Building Tests/Consumer against file://$$copy, $(version)"; \
	cp -R Tests/Consumer "$$folder/consumer"; \
	export WEIGHBRIDGE_URL="file://$$copy"; swift run -q \
	  --package-path "$$folder/consumer" --scratch-path "$$folder/build" \
	  --security-path "$$folder/security" \
	  consumer $(sample) "$$folder/consumer.wbm"; \
	if ldd "$$folder/build/debug/consumer" 2>/dev/null | grep hdf5; then \
	  echo "The consumer is linked with libhdf5, which it has not asked for."; exit 1; \
	fi

# --- Faults, mutated files and sanitizers. Not part of `make test`: they run as long as they are told to.

test-faults: dependencies
	swift build $(test_flags) --build-tests
	WEIGHBRIDGE_FAULTS=all swift test $(test_flags) --skip-build \
	  --filter 'FaultTests|ChangedInputTests|RaceTests'

FUZZ_SECONDS ?= 60
MUTATIONS ?= 20000
fuzz_folder := .build/fuzz
fuzz := $(fuzz_folder)/release/Fuzz
fuzz_coverage := edge,trace-cmp,inline-8bit-counters,pc-table
fuzz_library = $(shell clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer_no_main-x86_64.a
# In a program with a sanitizer, Swift's runtime takes minutes for the backtrace of a crash.
fuzz_environment := SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0

fuzz: dependencies
	WEIGHBRIDGE_FUZZ=1 swift build -c release --scratch-path $(fuzz_folder) --sanitize address \
	  --product Fuzz -Xswiftc -sanitize-coverage=$(fuzz_coverage) \
	  -Xcc -fsanitize-coverage=$(fuzz_coverage) -Xswiftc -use-ld=lld \
	  -Xlinker $(fuzz_library) -Xlinker -lstdc++
	$(fuzz_environment) Fuzz/run.sh $(fuzz) .build/fuzzing $(FUZZ_SECONDS) $(FUZZ_TARGETS)

mutate: build
	WEIGHBRIDGE_FUZZ=1 swift build -c release --scratch-path .build/mutate --product Mutate
	@set -eu; for target in $$(.build/mutate/release/Mutate list); do \
	  .build/mutate/release/Mutate $$target 0 $(MUTATIONS) $(program); \
	done

thread_tests := (Plan|Threads|Cancellation|ModelAgreement|Bytes|Digest|WeightStream|Race|Recurrent|Convolution)

# Optimized: without, the kernels take hours for the recorded networks.
sanitized := -c release -Xswiftc -enable-testing

sanitize: dependencies
	swift build --build-tests $(sanitized) --scratch-path .build/address --sanitize address \
	  -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined -Xlinker -lubsan
	ASAN_OPTIONS=detect_leaks=0 swift test --skip-build $(sanitized) --scratch-path .build/address \
	  --sanitize address
	swift build --build-tests $(sanitized) --scratch-path .build/thread --sanitize thread
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.txt swift test --skip-build $(sanitized) \
	  --scratch-path .build/thread --sanitize thread --filter '$(thread_tests).*Tests'

# --- Other tools that read exported models. Not part of `make test`: they come from PyPI.

peers_folder := .build/peers

# Keras 2.15 is available for Python up to 3.11.
peers_python ?= python3.11

peers: $(peers_folder)/done $(peers_folder)-keras3/done $(peers_folder)-keras2/done

$(peers_folder)/done: Tests/Peers/requirements.txt
$(peers_folder)-keras3/done: Tests/Peers/requirements-keras3.txt
$(peers_folder)-keras2/done: Tests/Peers/requirements-keras2.txt
$(peers_folder)/done $(peers_folder)-keras3/done $(peers_folder)-keras2/done:
	$(peers_python) -m venv $(@D)
	$(@D)/bin/pip install -q -r $<
	touch $@

test-peers: build peers
	$(peers_folder)/bin/python Tests/Peers/wbm_peer.py $(program)
	$(peers_folder)/bin/python Tests/Peers/wbm_detector_peer.py $(program)
	$(peers_folder)/bin/python Tests/Peers/safetensors_peer.py $(program)
	$(peers_folder)/bin/python Tests/Peers/netron_peer.py $(program)
	$(peers_folder)-keras3/bin/python Tests/Peers/keras_peer.py $(program)
	$(peers_folder)-keras2/bin/python Tests/Peers/keras_peer.py $(program)
	$(peers_folder)/bin/python Tests/Peers/onnx_peer.py $(program)
	for options in "--layout nchw" "--opset 13" "--opset 21" "--precision float16" \
	  --fold-batch-norm; do \
	  $(peers_folder)/bin/python Tests/Peers/onnx_peer.py $(program) --only zoo $$options || exit 1; \
	done
	for options in "int8" "int4" "palette6" "float16" "bfloat16"; do \
	  $(peers_folder)/bin/python Tests/Peers/onnx_peer.py $(program) --only Models --compact $$options \
	    && $(peers_folder)/bin/python Tests/Peers/coreml_peer.py $(program) --only Models \
	      --compact $$options || exit 1; \
	done
	for options in "int4" "int4-block32" "int8-block32"; do \
	  $(peers_folder)/bin/python Tests/Peers/onnx_peer.py $(program) --only Models --opset 21 \
	    --compact $$options || exit 1; \
	done
	for options in "int8" "int4-block32" "palette6" "float16"; do \
	  $(peers_folder)/bin/python Tests/Peers/safetensors_peer.py $(program) --only Models \
	    --compact $$options --keep-integers || exit 1; \
	done
	$(peers_folder)/bin/python Tests/Peers/onnx_detector_peer.py $(program)
	$(peers_folder)/bin/python Tests/Peers/ncnn_peer.py $(program)
	$(peers_folder)/bin/python Tests/Peers/ncnn_peer.py $(program) --only zoo --precision float16
	$(peers_folder)/bin/python Tests/Peers/coreml_peer.py $(program)
	$(peers_folder)/bin/python Tests/Peers/coreml_peer.py $(program) --only zoo --spec-version 5
	$(peers_folder)/bin/python Tests/Peers/coreml_sizes_peer.py $(program)
	$(peers_folder)/bin/python Tests/Peers/article_peer.py $(program) ToCoreML ToNcnn ToONNX ToSafetensors
	$(peers_folder)-keras3/bin/python Tests/Peers/article_peer.py $(program) ToKeras

# --- Reports in a browser. Not part of `make test`: it needs Chromium and packages from PyPI.

pages_folder := .build/pages

$(pages_folder)/done: Tests/Pages/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install -q -r $<
	touch $@

test-pages: build $(pages_folder)/done
	$(pages_folder)/bin/python Tests/Pages/report_page.py $(program)

# --- The local web page, a separate package. Its tests need Chromium and packages from PyPI.

studio_folder := .build/studio
studio := $(studio_folder)/release/weighbridge-studio
studio_samples := .build/studio-samples
studio_build := swift build -c release --package-path Studio --scratch-path $(studio_folder)

.PHONY: studio test-studio

studio: dependencies
	$(studio_build)
	$(studio_folder)/release/studio-samples Samples $(studio_samples)
	@$(studio) --models $(studio_samples)/models --photos $(studio_samples)/photos \
	  --sketches $(studio_samples)/sketches $(STUDIO_OPTIONS)

test-studio: dependencies $(pages_folder)/done
	$(studio_build) --build-tests
	swift test -c release --package-path Studio --scratch-path $(studio_folder) --skip-build
	$(studio_folder)/release/studio-samples Samples $(studio_samples)
	PYTHONDONTWRITEBYTECODE=1 $(pages_folder)/bin/python Studio/Tests/Pages/studio_page.py $(studio) $(studio_samples)

# --- Maintenance.

generate: tools := protoc:protobuf-compiler:protobuf protoc-c:protobuf-c-compiler:protobuf-c
generate: dependencies
	Schemas/generate.sh
	swift build $(test_flags) --build-tests
	WEIGHBRIDGE_GENERATE=1 swift test $(test_flags) --skip-build --filter \
	  'ReadmeTests|OperatorReferenceTests|ExportTableTests|ExportCountsTests|WBMFormatTests.HostileTests|HostileSampleTests|OperatorVectorTests'

format:
	swift format --in-place --recursive --parallel Sources Studio Tests Package.swift

inference_folder := .build/inference

bench: MODEL = $(inference_folder)/models/tinyyolo-keras2.h5
bench: $(inference_folder)/done bench-files bench-conversion bench-inference bench-search bench-compact

bench-files: build
	swift run -c release --package-path Benchmarks --scratch-path .build/benchmarks \
	  ConversionBenchmark $(program) $(MODEL)

bench-inference: build $(inference_folder)/done
	swift build -c release --package-path Benchmarks --scratch-path .build/benchmarks --product FMAPeak
	$(inference_folder)/bin/python Benchmarks/Inference/measure.py $(program) \
	  $(inference_folder)/models $(BENCH_OPTIONS)
	for model in tinyyolo resnet50; do \
	  path=$(inference_folder)/models/$$model; \
	  $(inference_folder)/bin/python Benchmarks/Inference/peak.py $(program) $$path.wbm \
	    $$path-1.npy .build/benchmarks/release/FMAPeak; \
	done

$(inference_folder)/done: Benchmarks/Inference/requirements.txt Benchmarks/Inference/prepare.py | build
	$(peers_python) -m venv $(inference_folder)
	$(inference_folder)/bin/pip install -q -r Benchmarks/Inference/requirements.txt
	mkdir -p $(inference_folder)/models
	$(inference_folder)/bin/python Benchmarks/Inference/prepare.py $(program) \
	  $(inference_folder)/models
	touch $@

conversion_folder := .build/conversion

bench-conversion: build $(conversion_folder)/done
	$(conversion_folder)/bin/python Benchmarks/Conversion/measure.py $(program) $(MODEL)

$(conversion_folder)/done: Benchmarks/Conversion/requirements.txt
	$(peers_python) -m venv $(conversion_folder)
	$(conversion_folder)/bin/pip install -q -r $<
	touch $@

compaction_folder := .build/compaction

# Trained yolov3-tiny.weights; `fetch.sh` next to the fixture's .cfg says where to get them.
bench-compact: WEIGHTS = .cache/yolov3-tiny/yolov3-tiny.weights
bench-compact: FIXTURES = ../shared/fixtures
bench-compact: build $(compaction_folder)/done $(compaction_folder)/models/lstm/model.h5
	$(compaction_folder)/bin/python Benchmarks/Compaction/prepare.py $(program) $(FIXTURES) \
	  $(WEIGHTS) $(compaction_folder)/models
	$(compaction_folder)/bin/python Benchmarks/Compaction/compare.py $(program) \
	  $(compaction_folder)/models $(compaction_folder)/compared.json $(COMPACT_MODELS)

$(compaction_folder)/done: Benchmarks/Compaction/requirements.txt
	$(peers_python) -m venv $(@D)
	$(@D)/bin/pip install -q -r $<
	$(@D)/bin/pip install -q --no-deps nncodec==2.1.3
	touch $@

$(compaction_folder)/models/lstm/model.h5: Benchmarks/Compaction/train_lstm.py $(inference_folder)/done
	mkdir -p $(@D)
	$(inference_folder)/bin/python $< $@ $(@D)/texts

search_folder := .build/search

bench-search: build $(search_folder)/done
	$(search_folder)/bin/python Benchmarks/Search/measure.py $(program)

$(search_folder)/done: Benchmarks/Search/requirements.txt
	$(peers_python) -m venv $(search_folder)
	$(search_folder)/bin/pip install -q -r $<
	touch $@

clean:
	rm -rf .build Tests/Consumer/.build

# --- The C library, which exports only the symbols of its header, and the Python wheel based on it.

library_folder := .build/library
library_name := libweighbridge.so.0
library_modules = $(foreach library,$(libraries),$(firstword $(subst :, ,$(library))))
library_map := Packaging/C/libweighbridge.map
# Archives that were compiled for programs read copies of streams that a shared library does not have. Packed
# relocations would require a system as recent as the one used for the build.
library_flags = -Xlinker --version-script=$(CURDIR)/$(library_map) -Xlinker -soname=$(library_name) \
  -Xlinker --defsym=stdout=standard_output -Xlinker --defsym=stderr=standard_error -Xlinker -Map=$(map)-library

.PHONY: library install-library test-c test-c-valgrind test-c-sanitize test-python test-cluster test-wheel wheel \
  bench-python bench-cluster

# $(1): the library built by SwiftPM; $(2): the folder for the library, its header and its pkg-config file.
define lay_out_library
	@rm -rf $(2); mkdir -p $(2)/lib/pkgconfig $(2)/include
	install -m 644 $(1) $(2)/lib/libweighbridge.so.$(version)
	@ln -s libweighbridge.so.$(version) $(2)/lib/$(library_name); \
	ln -s $(library_name) $(2)/lib/libweighbridge.so; \
	install -m 644 Sources/CLibraries/CWeighbridge/include/weighbridge.h $(2)/include; \
	sed 's|@prefix@|$(abspath $(2))|; s|@version@|$(version)|' Packaging/C/weighbridge.pc.in \
	  > $(2)/lib/pkgconfig/weighbridge.pc
endef

ifeq ($(shell uname -s),Linux)
library: build
	$(program_environment) swift build -c release --product CInterface \
	  --scratch-path $(program_folder) $(program_flags) $(library_flags)
	# Once more with Swift's runtime in it, which SwiftPM does for programs only.
	$(program_environment) swiftc -emit-library -static-stdlib -use-ld=lld -module-name CInterface \
	  -o $(program_folder)/libweighbridge.so @$(program_folder)/release/CInterface.product/Objects.LinkFileList \
	  -L"$(archives)" $$($(program_environment) pkg-config --libs $(library_modules)) -Xlinker --gc-sections \
	  -Xlinker -s -Xlinker --icf=safe $(library_flags) -Xlinker --disable-new-dtags -Xlinker '-rpath=$$ORIGIN'
	$(call lay_out_library,$(program_folder)/libweighbridge.so,$(library_folder))
	Packaging/C/check-symbols.sh $(library_folder)/lib/$(library_name) \
	  Sources/CLibraries/CWeighbridge/include/weighbridge.h
else
library:
	@echo "libweighbridge is built on Linux: its symbols are chosen by a version script of ELF." >&2; exit 1
endif

install-library: library
	install -d "$(DESTDIR)$(PREFIX)/lib/pkgconfig" "$(DESTDIR)$(PREFIX)/include"
	cp -P $(library_folder)/lib/libweighbridge.so* "$(DESTDIR)$(PREFIX)/lib"
	install -m 644 $(library_folder)/include/weighbridge.h "$(DESTDIR)$(PREFIX)/include"
	sed 's|@prefix@|$(PREFIX)|; s|@version@|$(version)|' Packaging/C/weighbridge.pc.in \
	  > "$(DESTDIR)$(PREFIX)/lib/pkgconfig/weighbridge.pc"

C_CYCLES ?= 10000
comma := ,
c_folder := .build/c-tests
c_compiler ?= clang
c_flags = -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Werror
# $(1): the folder with the library; $(2): further flags.
compile_c_tests = mkdir -p $(c_folder) && $(c_compiler) $(c_flags) $(2) Tests/CInterface/*.c \
  $$(PKG_CONFIG_PATH=$(1)/lib/pkgconfig pkg-config --cflags --libs weighbridge) \
  -Wl,-rpath,$(abspath $(1))/lib -lm -lpthread -o $(c_folder)/interface
run_c_tests = rm -rf $(c_folder)/written && mkdir -p $(c_folder)/written \
  && $(1) $(c_folder)/interface Samples $(c_folder)/written $(2)

# The library built like everything else that is tested.
test_library := .build/test-library
$(test_library): dependencies
	swift build $(test_flags) --product CInterface -Xlinker --version-script=$(CURDIR)/$(library_map) \
	  -Xlinker -soname=$(library_name)
	$(call lay_out_library,.build/release/libCInterface.so,$@)
.PHONY: $(test_library)

test-c: $(test_library)
	$(call compile_c_tests,$<)
	$(call run_c_tests,,$(C_CYCLES))
	@awk '/^```c$$/ { code = 1; next } /^```$$/ { code = 0 } code' \
	  Sources/Product/Weighbridge/Weighbridge.docc/CInterface.md > $(c_folder)/article.c
	$(c_compiler) $(c_flags) $(c_folder)/article.c -o $(c_folder)/article -Wl,-rpath,$(abspath $<)/lib \
	  $$(PKG_CONFIG_PATH=$</lib/pkgconfig pkg-config --cflags --libs weighbridge)
	$(c_folder)/article $(sample)/shape-detector.h5

# Valgrind supports neither AVX-512 nor DWARF 5.
test-c-valgrind: tools := valgrind:valgrind:valgrind
test-c-valgrind: $(test_library)
	$(call lay_out_library,$</lib/$(library_name),.build/valgrind-library)
	strip --strip-debug .build/valgrind-library/lib/libweighbridge.so.$(version)
	$(call compile_c_tests,.build/valgrind-library,-gdwarf-4)
	$(call run_c_tests,WEIGHBRIDGE_MAX_ISA=avx2 valgrind --error-exitcode=1 --leak-check=full \
	  --errors-for-leak-kinds=definite --show-leak-kinds=definite --child-silent-after-fork=yes \
	  --suppressions=Tests/CInterface/valgrind.supp,$(C_CYCLES))

test-c-sanitize: dependencies
	swift build --product CInterface --scratch-path .build/address --sanitize address \
	  -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined -Xlinker -lubsan
	$(call lay_out_library,.build/address/debug/libCInterface.so,.build/address-library)
	$(call compile_c_tests,.build/address-library,-fsanitize=address$(comma)undefined)
	$(call run_c_tests,ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16,$(C_CYCLES))

PYTHON ?= python3
python_environment = WEIGHBRIDGE_LIBRARY=$(CURDIR)/$(test_library)/lib/$(library_name) \
  WEIGHBRIDGE_PROGRAM=$(CURDIR)/.build/release/weighbridge PYTHONPATH=$(CURDIR)/Python/src PYTHONDONTWRITEBYTECODE=1
pytest := -m pytest -q -rs -p no:cacheprovider
python_tests := $(pytest) --ignore Python/tests/cluster Python/tests
check_types := -m mypy --config-file Python/pyproject.toml --cache-dir .build/mypy Python/src/weighbridge

# Cluster jobs use the program to convert models.
.PHONY: test-program
test-program: $(test_library)
	swift build $(test_flags) --product weighbridge

test-python: test-program
	@if ! missing=$$($(PYTHON) -c 'import numpy, pytest' 2>&1); then \
	  echo "The tests of the package for Python are not run: $${missing##*$$'\n'}"; exit 0; \
	fi; set -x; \
	$(python_environment) $(PYTHON) $(python_tests) && \
	if $(PYTHON) -c 'import mypy' 2>/dev/null; then \
	  $(PYTHON) $(check_types); \
	else \
	  echo "The types are not checked: there is no mypy."; \
	fi

# Not part of `make test`: Ray and Spark are large, and Spark needs Java 17.
cluster_folder := .build/cluster

$(cluster_folder)/done: Python/tests/cluster/requirements.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install -q -r $<
	touch $@

test-cluster: $(cluster_folder)/done test-program
	$(python_environment) $(cluster_folder)/bin/python $(pytest) Python/tests/cluster Python/tests/test_cluster.py
	$(cluster_folder)/bin/python $(check_types)

bench-cluster: $(cluster_folder)/done wheel
	$(cluster_folder)/bin/pip install -q --force-reinstall --no-deps $(wheel_folder)/dist/*.whl
	$(cluster_folder)/bin/python Benchmarks/Python/cluster.py

# The wheel contains the library and the program, linked for older systems too.
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
	PYTHONDONTWRITEBYTECODE=1 $(wheel_folder)/environment/bin/python $(python_tests)

bench-python: test-wheel
	$(wheel_folder)/environment/bin/python Benchmarks/Python/measure.py
