#!/usr/bin/env bash
# Makes a Python environment with the packages that a file lists, from PyPI.
# Usage: environment.sh PYTHON FOLDER REQUIREMENTS [PACKAGE...]; PACKAGEs are installed without what they depend on.
set -euo pipefail
python=$1 folder=$2 requirements=$3
shift 3
"$python" -m venv "$folder"
"$folder/bin/pip" install -q -r "$requirements"
if [ $# -gt 0 ]; then "$folder/bin/pip" install -q --no-deps "$@"; fi
touch "$folder/done"
