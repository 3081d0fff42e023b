#!/usr/bin/env bash
# Compares a library's exports with its header's declarations.
#
# usage: check-symbols.sh LIBRARY HEADER
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort)
declared=$(grep -o 'weighbridge_[a-z_]*(' "$2" | tr -d '(' | sort -u)
if [ "$exported" != "$declared" ]; then
  echo "$1 does not export what $2 declares:" >&2
  diff <(echo "$declared") <(echo "$exported") >&2 || true
  exit 1
fi
echo "$1 exports the $(wc -l <<< "$declared") functions of its header and nothing else."
