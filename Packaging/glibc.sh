#!/usr/bin/env bash
# Prints the newest glibc that a program requires; an error if that is newer than Ubuntu 22.04's.
# Usage: glibc.sh PROGRAM
set -euo pipefail
program=$1 limit=2.35

# This is not a symbol but also a requirement: packed relocations can be read from glibc 2.36 on.
if objdump -p "$program" | grep -q GLIBC_ABI_DT_RELR; then
  echo "$program needs glibc 2.36 (GLIBC_ABI_DT_RELR): build it with short_addresses=" >&2
  exit 1
fi

symbols=$(objdump -T "$program" | sed -n 's/.*(GLIBC_\([0-9.]*\)) *\(.*\)/\1 \2/p' | sort -V)
highest=$(tail -n 1 <<<"$symbols" | cut -d' ' -f1)
names=$(awk -v version="$highest" '$1 == version { print $2 }' <<<"$symbols" | paste -sd' ')
echo "$program needs glibc $highest, for $names"
if [ "$(printf '%s\n' "$limit" "$highest" | sort -V | tail -n 1)" != "$limit" ]; then
  echo "That is more than $limit: build on Debian 12 or Ubuntu 22.04." >&2
  exit 1
fi
