#!/usr/bin/env bash
# Copies the C library, its header and its pkg-config file into a folder that programs are compiled against.
# Usage: lay-out-library.sh LIBRARY VERSION FOLDER [PREFIX]; PREFIX is what the pkg-config file says, if it is not FOLDER.
set -euo pipefail
library=$1 version=$2 folder=$3
install -d "$folder/lib/pkgconfig" "$folder/include"
prefix=${4:-$(cd "$folder" && pwd)}
install -m 644 "$library" "$folder/lib/libweighbridge.so.$version"
ln -sf "libweighbridge.so.$version" "$folder/lib/libweighbridge.so.0"
ln -sf libweighbridge.so.0 "$folder/lib/libweighbridge.so"
install -m 644 Sources/CLibraries/CWeighbridge/include/weighbridge.h "$folder/include"
sed "s|@prefix@|$prefix|; s|@version@|$version|" Packaging/C/weighbridge.pc.in > "$folder/lib/pkgconfig/weighbridge.pc"
