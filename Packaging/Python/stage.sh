#!/usr/bin/env bash
# Lays out what the wheel has besides Python: the library, the libraries that it looks for when it runs,
# the program, and the licences of all.
#
# usage: stage.sh PROGRAM LIBRARY_FOLDER TARGET
set -euo pipefail
program=$1 library=$2 target=$3
rm -rf "$target"
mkdir -p "$target"/{lib,bin,licenses}
install -m 755 "$library/lib/libweighbridge.so.0" "$target/lib"

# oneDNN and what it needs beyond the C and C++ libraries that every system has.
for name in libdnnl.so.2 libgomp.so.1 libOpenCL.so.1; do
  path=$(ldconfig -p | awk -v name=$name '$1 == name && /x86-64/ { print $NF; exit }')
  if [ -z "$path" ]; then echo "$name is not installed" >&2; exit 1; fi
  install -m 755 "$(readlink -f "$path")" "$target/lib/$name"
  # shellcheck disable=SC2016
  patchelf --set-rpath '$ORIGIN' "$target/lib/$name"
done

install -m 755 "$program" "$target/bin/weighbridge"

# What is linked in, and what lies beside it.
install -m 644 LICENSE "$target/licenses/LICENSE"
for package in libdnnl2 libgomp1 ocl-icd-libopencl1 libhdf5-dev libaec-dev libprotobuf-c-dev \
  libxxhash-dev libssl-dev zlib1g-dev libyaml-dev libjpeg62-turbo-dev libpng-dev libsqlite3-dev; do
  text=/usr/share/doc/$package/copyright
  if [ ! -r "$text" ]; then echo "There is no $text, the licence of what is in the wheel" >&2; exit 1; fi
  install -m 644 "$text" "$target/licenses/$package.txt"
done
swift=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
for text in "$swift"/share/swift/LICENSE.txt; do
  install -m 644 "$text" "$target/licenses/swift.txt"
done
