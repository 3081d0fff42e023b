#!/usr/bin/env bash
# Checks the types of the package for Python with mypy.
# Usage: check-types.sh PYTHON
exec "$1" -m mypy --config-file Python/pyproject.toml --cache-dir .build/mypy Python/src/weighbridge
