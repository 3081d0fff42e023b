#!/usr/bin/env bash
# Builds packages from the committed sources, always in the same folder, at the same memory addresses, with the same
# environment and one compiler at a time: the location of the sources and the addresses of the compiler's own objects
# can change its output.
# Usage: packages.sh VERSION FOLDER
set -euo pipefail
version=$1 folder=$2
if [ "$(uname -s)" != Linux ]; then
  echo "Packages are made on Debian or Ubuntu, with their tools." >&2
  exit 1
fi
sources=/tmp/weighbridge-$version-packages
mkdir "$sources" || { echo "Another \`make packages\` is at work there, or was killed." >&2; exit 1; }
trap 'rm -rf "$sources"' EXIT
git clone -q . "$sources"
kept=()
for name in PATH HOME http_proxy https_proxy no_proxy PYTHON RELEASES SOURCE_DATE_EPOCH; do
  if [ -n "${!name:-}" ]; then kept+=("$name=${!name}"); fi
done
same_addresses=()
if setarch -R true 2>/dev/null; then same_addresses=(setarch -R); fi
env -i "${kept[@]}" ${same_addresses[@]+"${same_addresses[@]}"} \
  make -C "$sources" packages-here PACKAGES="$sources/.build/packages"
mkdir -p "$folder"
rm -f "$folder"/weighbridge[-_.]* "$folder/SHA256SUMS"
mv "$sources"/.build/packages/* "$folder"
