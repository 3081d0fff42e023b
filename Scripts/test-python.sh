#!/usr/bin/env bash
# Runs the tests of the package for Python and checks its types; says what is missing if it cannot.
# Usage: test-python.sh PYTHON
set -euo pipefail
python=$1
if ! missing=$("$python" -c 'import numpy, pytest' 2>&1); then
  echo "The tests of the package for Python are not run: ${missing##*$'\n'}"
  exit 0
fi
"$python" -m pytest -q -rs -p no:cacheprovider --ignore Python/tests/cluster Python/tests
if "$python" -c 'import mypy' 2>/dev/null; then
  Scripts/check-types.sh "$python"
else
  echo "The types are not checked: there is no mypy."
fi
