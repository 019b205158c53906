"""The ``multibody`` command."""

from multibody.cli.main import main

__all__ = ["main"]
