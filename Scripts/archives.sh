#!/usr/bin/env bash
# Makes a folder that contains only archives, and pkg-config files that point there first. A linker that finds an
# archive and no shared library uses the archive. (The shared libhdf5 alone pulls in 37 libraries, which takes longer
# than `inspect`.) Libraries without an archive stay shared. The file `flags` has linker options for `swift build`.
#
# Usage: archives.sh FOLDER [LINKER-OPTION...]; the options are used if the system's C library can run what they make.
set -euo pipefail
folder=$1
shift
scripts=$(dirname "$0")
rm -rf "$folder"
mkdir -p "$folder"

# Links the archive of the library $1 as that of $2.
archive() {
  local path
  path=$(clang -print-file-name="lib$1.a")
  if [ "${path#/}" != "$path" ]; then ln -s "$path" "$folder/lib$2.a"; fi
}
for name in sz aec z protobuf-c xxhash crypto stdc++ yaml jpeg png16 sqlite3; do archive $name $name; done
archive hdf5_serial hdf5

hdf5="-lhdf5 -lsz -laec -lz -lcrypto -ldl -lm -lpthread"
if ! echo 'int H5open(void); int main(void) { return H5open(); }' \
  | clang -x c - -L"$folder" $hdf5 -o "$folder/probe" 2>/dev/null; then
  rm -f "$folder/libhdf5.a"
  hdf5=
fi
for module in $("$scripts/libraries.sh" modules); do
  case $module in
    hdf5-serial) extra=$hdf5 ;;
    libpng) extra="-lpng16 -lz -lm" ;;
    sqlite3) extra="-lsqlite3 -lz -lm" ;;
    *) extra= ;;
  esac
  printf 'Name: %s\nDescription: its archive\nVersion: 0\nCflags: %s\nLibs: %s\n' \
    "$module" "$(pkg-config --cflags "$module")" "-L$folder $extra $(pkg-config --libs "$module")" \
    > "$folder/$module.pc"
done

: > "$folder/flags"
if [ $# -gt 0 ]; then
  options=$(printf -- '-Xlinker %s ' "$@")
  if echo 'int main(void) { return 0; }' | clang -x c - -fuse-ld=lld -fPIE -pie $options -o "$folder/probe" 2>/dev/null \
    && "$folder/probe"; then
    printf '%s' "$options" > "$folder/flags"
  fi
fi
