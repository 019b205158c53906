"""Libraries that multibody can use, but does not need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from multibody.errors import MissingLibraryError


def require_library(module: str, extra: str) -> Any:
    """A module that is imported now, or an error that says how to install it.

    Args:
        module: its name, such as ``"matplotlib.figure"``.
        extra: the extra of multibody that brings it along.

    Example:
        >>> require_library("math", "data").cos(0.0)
        1.0
        >>> try:
        ...     require_library("no_such_library", "data")
        ... except MissingLibraryError as error:
        ...     print(error)
        The library 'no_such_library' is needed for this. [library-missing]
          cause: No module named 'no_such_library'
          fix: Install it: pip install "multibody[data]".
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingLibraryError(
            f"The library '{module.partition('.')[0]}' is needed for this.",
            cause=str(error),
            remedy=f'Install it: pip install "multibody[{extra}]".',
        ) from error
