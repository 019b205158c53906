"""What can go wrong with a PyMbs script, by the name of its command."""

from __future__ import annotations

from multibody.errors import ModelError, MultibodyError


class UsageError(ModelError, TypeError):
    """A PyMbs command that was called with arguments it does not understand."""


class UnsupportedError(MultibodyError, NotImplementedError):
    """Something that PyMbs can do and multibody cannot, or does in another way."""
