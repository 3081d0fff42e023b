#!/usr/bin/env bash
# Makes the packages from a program that has been built.
# Usage: packages.sh PROGRAM MAP MANUAL PAGES WHEEL VERSION FOLDER, with SOURCE_DATE_EPOCH in the environment; MAP is
# the linker's map, MANUAL the folder of manual pages, PAGES that of the documentation, WHEEL that of the wheel.
# RELEASES is the address from which the formula gets the other files, HOMEBREW_LIBRARIES are the formulae that it
# needs.
set -euo pipefail
program=$1 map=$2 manual=$3 pages=$4 wheel=$5 version=$6 folder=$7
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C.UTF-8 TZ=UTC
umask 022

machine=$(uname -m)
name=weighbridge-$version
tarball=$name-$machine-linux.tar.xz
source=$name-source.tar.xz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lays out the contents of every package, in the folders of a prefix.
stage() {
  local share=$work/$name/share documents=$work/$name/share/doc/weighbridge
  install -D "$program" "$work/$name/bin/weighbridge"
  install -D -m 644 -t "$share/man/man1" "$manual"/*.1
  install -d "$share"/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
  "$program" --generate-completion-script bash | sed '1{/^#!/d;}' \
    > "$share/bash-completion/completions/weighbridge"
  "$program" --generate-completion-script zsh > "$share/zsh/site-functions/_weighbridge"
  "$program" --generate-completion-script fish > "$share/fish/vendor_completions.d/weighbridge.fish"
  install -D -m 644 -t "$documents" LICENSE README.md CHANGELOG.md
  cp -R "$pages" "$documents/html"
  chmod -R u=rwX,go=rX "$documents/html"
  python3 "$here/sbom.py" weighbridge "$program" "$map" "$version" "$documents"
}

tarballs() {
  tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --format=ustar -cf - "$name" | xz -9 -T1 > "$folder/$tarball"
  git archive --format=tar --prefix="$name/" HEAD | xz -9 -T1 > "$folder/$source"
}

debian_package() {
  local root=$work/deb
  mkdir "$root"
  cp -R "$here/debian" "$root/debian"
  cp -R "$work/$name" "$root/stage"
  local maintainer; maintainer=$(git log -1 --format='%an <%ae>')
  sed -i "s/@MAINTAINER@/$maintainer/" "$root/debian/control"
  printf 'weighbridge (%s-1) unstable; urgency=medium\n\n  * What is new: changelog.gz.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" > "$root/debian/changelog"
  (cd "$root" && DEB_RULES_REQUIRES_ROOT=no dh binary >"$work/dh.log" 2>&1) || { cat "$work/dh.log" >&2; exit 1; }
  local package; package=$(basename "$work"/weighbridge_*.deb)
  mv "$work/$package" "$folder"
  dpkg-deb --field "$folder/$package" Package Version Depends
  lintian --allow-root --fail-on error "$folder/$package"
  echo "lintian: no errors"
}

sha256() { sha256sum "$folder/$1" | cut -d' ' -f1; }

formula() {
  local beside='file://#{__dir__}'  # the folder of the formula
  local depends_on='' library
  for library in $HOMEBREW_LIBRARIES; do depends_on+="    depends_on \"$library\""$'\n'; done
  declare -A values=(
    [VERSION]=$version [RELEASES]=${RELEASES:-$beside} [ARCH]=$machine
    [SOURCE]=$source [SOURCE_SHA256]=$(sha256 "$source")
    [TARBALL]=$tarball [TARBALL_SHA256]=$(sha256 "$tarball")
    [DEPENDS_ON]=${depends_on%$'\n'})
  local text name; text=$(cat "$here/weighbridge.rb.in")
  for name in "${!values[@]}"; do text=${text//"@$name@"/"${values[$name]}"}; done
  echo "$text" > "$folder/weighbridge.rb"
  if command -v ruby >/dev/null; then ruby -c "$folder/weighbridge.rb"; fi
}

mkdir -p "$folder"
rm -f "$folder"/weighbridge[-_.]* "$folder/SHA256SUMS"
folder=$(cd "$folder" && pwd)
stage
cp "$work/$name/share/doc/weighbridge/weighbridge.spdx.json" "$folder/$name.spdx.json"
install -m 644 -t "$folder" "$wheel"/weighbridge-*.whl
tarballs
debian_package
formula
(cd "$folder" && sha256sum weighbridge* | tee SHA256SUMS)
