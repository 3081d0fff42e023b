#!/usr/bin/env bash
# Lays out what the wheel has besides Python: the library, the program, and the licences of what is linked
# into both.
#
# usage: stage.sh PROGRAM LIBRARY_FOLDER TARGET
set -euo pipefail
program=$1 library=$2 target=$3
rm -rf "$target"
mkdir -p "$target"/{lib,bin,licenses}
install -m 755 "$library/lib/libweighbridge.so.0" "$target/lib"

install -m 755 "$program" "$target/bin/weighbridge"

install -m 644 LICENSE "$target/licenses/LICENSE"
for package in libhdf5-dev libaec-dev libprotobuf-c-dev \
  libxxhash-dev libssl-dev zlib1g-dev libyaml-dev libjpeg62-turbo-dev libpng-dev libsqlite3-dev; do
  text=/usr/share/doc/$package/copyright
  if [ ! -r "$text" ]; then echo "There is no $text, the licence of what is in the wheel" >&2; exit 1; fi
  install -m 644 "$text" "$target/licenses/$package.txt"
done
swift=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
for text in "$swift"/share/swift/LICENSE.txt; do
  install -m 644 "$text" "$target/licenses/swift.txt"
done
