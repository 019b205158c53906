"""The models, derived once."""

from __future__ import annotations

import pytest

from .models import MAKERS, Case

_cases: dict[str, Case] = {}


@pytest.fixture(params=list(MAKERS))
def case(request: pytest.FixtureRequest) -> Case:
    """One of the models, with states to compare at."""
    return named_case(request.param)


def named_case(name: str) -> Case:
    """A model by its name."""
    if name not in _cases:
        _cases[name] = Case(name, MAKERS[name]())
    return _cases[name]
