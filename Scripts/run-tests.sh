#!/usr/bin/env bash
# Runs the tests. A test with an empty list of arguments, which Swift Testing only skips, is an error.
# Usage: run-tests.sh OPTION...; the options are those of `swift test`.
set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift test "$@" 2>&1 | tee "$log"
if grep 'skipped: "No test cases found."' "$log" >&2; then
  echo "These tests have no arguments, so that they expect nothing." >&2
  exit 1
fi
