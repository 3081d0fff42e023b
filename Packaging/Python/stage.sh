#!/usr/bin/env bash
# Lays out the native parts of the wheel: the library, the program, and for each a bill of materials, with the licences
# of everything that is linked in.
#
# usage: stage.sh PROGRAM MAP LIBRARY LIBRARY_MAP VERSION TARGET, with SOURCE_DATE_EPOCH in the environment; the maps
# are the linker's.
set -euo pipefail
program=$1 map=$2 library=$3 library_map=$4 version=$5 target=$6
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$target"
mkdir -p "$target"/{lib,bin,licenses,sboms}
install -m 755 "$library" "$target/lib"
install -m 755 "$program" "$target/bin/weighbridge"

install -m 644 LICENSE "$target/licenses/LICENSE"
python3 "$here/../sbom.py" weighbridge "$program" "$map" "$version" "$target"
python3 "$here/../sbom.py" libweighbridge "$library" "$library_map" "$version" "$target"
mv "$target"/*.spdx.json "$target/sboms"
