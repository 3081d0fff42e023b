"""Packages that are needed for some things only."""

from __future__ import annotations

import importlib
from typing import Any


def package(name: str, extra: str | None = None) -> Any:
    """A package, or one of its modules.

    Args:
        extra: The extra of this package that installs it; its own name unless given.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"this needs the package {name.partition('.')[0]} ({error}); install it: "
            f"pip install 'weighbridge[{extra or name}]'"
        ) from error
