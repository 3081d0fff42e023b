#!/usr/bin/env bash
# Installs the system libraries that are missing, and the tools that are named, and says which.
# Usage: dependencies.sh [COMMAND:APT-PACKAGE:HOMEBREW-FORMULA...]
set -euo pipefail
scripts=$(dirname "$0")
missing=()

column=3
if command -v apt-get >/dev/null; then column=2; fi
for tool in "pkg-config:pkg-config:pkgconf" "$@"; do
  command -v "${tool%%:*}" >/dev/null || missing+=("$(cut -d: -f$column <<< "$tool")")
done
while read -r module package; do
  pkg-config --exists "$module" 2>/dev/null || missing+=("$package")
done < <(paste -d ' ' <("$scripts/libraries.sh" modules) <("$scripts/libraries.sh" packages))
if [ ${#missing[@]} = 0 ]; then exit 0; fi

if command -v apt-get >/dev/null; then
  root=(env)
  if [ "$(id -u)" != 0 ]; then root=(sudo env); fi
  "${root[@]}" apt-get update -qq
  echo "Installing ${missing[*]}"
  "${root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
elif command -v brew >/dev/null; then
  echo "Installing ${missing[*]}"
  brew install "${missing[@]}"
else
  echo "There is neither apt nor Homebrew; please install what pkg-config knows as:" >&2
  "$scripts/libraries.sh" modules | sed 's/^/  /' >&2
  exit 1
fi
