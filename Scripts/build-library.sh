#!/usr/bin/env bash
# Builds libweighbridge for C, with Swift's runtime in it, which SwiftPM does for programs only.
# Usage: build-library.sh BUILD-FOLDER ARCHIVES NAME OPTION...; the options are those of `swift build`. The library is
# BUILD-FOLDER/libweighbridge.so, the linker's map BUILD-FOLDER/map-library, and NAME is how the system finds it.
set -euo pipefail
folder=$1 archives=$2 name=$3
shift 3
# Archives that were compiled for programs read copies of streams that a shared library does not have. Packed
# relocations would require a system as recent as the one used for the build.
linking=(-Xlinker --version-script="$PWD/Packaging/C/libweighbridge.map" -Xlinker -soname="$name"
  -Xlinker --defsym=stdout=standard_output -Xlinker --defsym=stderr=standard_error
  -Xlinker -Map="$PWD/$folder/map-library")
export PKG_CONFIG_PATH="$archives:${PKG_CONFIG_PATH:-}"
swift build -c release --product CInterface --scratch-path "$folder" "$@" "${linking[@]}"
swiftc -emit-library -static-stdlib -use-ld=lld -module-name CInterface -o "$folder/libweighbridge.so" \
  @"$folder/release/CInterface.product/Objects.LinkFileList" -L"$archives" \
  $(pkg-config --libs $(Scripts/libraries.sh modules)) -Xlinker --gc-sections -Xlinker -s -Xlinker --icf=safe \
  "${linking[@]}" -Xlinker --disable-new-dtags -Xlinker '-rpath=$ORIGIN'
