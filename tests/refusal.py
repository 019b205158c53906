"""Expecting an error by its code and the names in it, not by its sentences."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from multibody.errors import MultibodyError


@contextmanager
def refused(
    code: str, *names: str, kind: type[MultibodyError] = MultibodyError
) -> Iterator[pytest.ExceptionInfo[MultibodyError]]:
    """Require that the block raises an error of this kind with this code, in which all names occur.

    Example:
        with refused("value-not-a-joint", "elbow"):
            mb.derive(arm)
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert error.code == code, f"expected the code {code!r}, got {error.code!r}: {error}"
    missing = [name for name in names if name not in str(error)]
    assert not missing, f"expected {missing} in: {error}"
