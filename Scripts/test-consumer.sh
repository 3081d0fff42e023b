#!/usr/bin/env bash
# Builds and runs a separate package that depends on a tagged copy of the working tree, as a user's would (not optimized, and
# without what only debuggers and editors read, so that it takes less time).
# Usage: test-consumer.sh VERSION SAMPLE
set -euo pipefail
version=$1 sample=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy=$folder/weighbridge
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard -- Package.swift Sources Tests \
  | tar -cf - --null -T - | tar -xf - -C "$copy"
git -C "$copy" init -q
git -C "$copy" add -A
git -C "$copy" -c user.name=consumer -c user.email=consumer@localhost commit -q -m Copy
git -C "$copy" tag "$version"
echo "Building Tests/Consumer against file://$copy, $version"
cp -R Tests/Consumer "$folder/consumer"
WEIGHBRIDGE_URL="file://$copy" swift run -q --disable-index-store -Xswiftc -gnone \
  --package-path "$folder/consumer" --scratch-path "$folder/build" --security-path "$folder/security" \
  consumer "$sample" "$folder/consumer.wbm"
if ldd "$folder/build/debug/consumer" 2>/dev/null | grep hdf5; then
  echo "The consumer is linked with libhdf5, which it has not asked for." >&2
  exit 1
fi
