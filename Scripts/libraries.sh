#!/usr/bin/env bash
# Prints a column of libraries.txt for this system, one library a line.
# Usage: libraries.sh modules|packages|formulae
set -euo pipefail
column=1
if [ "$(uname -s)" = Darwin ]; then column=3; fi
case $1 in
  modules) ;;
  packages) column=$((column + 1)) ;;
  formulae) column=4 ;;
  *) echo "libraries.sh: expects modules, packages or formulae, not $1" >&2; exit 2 ;;
esac
awk -v column="$column" '!/^#/ { print $column }' "$(dirname "$0")/libraries.txt"
