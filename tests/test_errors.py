"""Errors: all in one place, and the same after a journey to another process."""

import pickle

import pytest

from multibody import errors
from multibody.simulation.contract import Status

KINDS = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.MultibodyError)]
EXTRA = {errors.ParseError: {"position": 3}}


@pytest.mark.parametrize("kind", [one for one in KINDS if one is not errors.StepError])
def test_errors_travel(kind):
    said = {"where": "body 'crab'", "cause": "Age.", "remedy": "Repair it.", "code": "crab-broken", "name": "crab"}
    error = kind("It broke.", **said, **EXTRA.get(kind, {}))
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is kind
    assert str(arrived) == str(error)
    assert vars(arrived) == vars(error)
    assert (arrived.code, arrived.fields) == ("crab-broken", {"name": "crab"})


def test_the_status_of_a_failed_step_travels():
    arrived = pickle.loads(pickle.dumps(errors.StepError(Status.NOT_FINITE, "gone")))
    assert (arrived.status, arrived.what) == (Status.NOT_FINITE, "gone")


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [(errors.StorageError, OSError), (errors.UnknownNameError, KeyError), (errors.MissingLibraryError, ImportError)],
)
def test_errors_are_those_of_python_too(kind, builtin):
    assert issubclass(kind, builtin)
    assert str(kind("What.", code="what-else", where="here")) == "What. [what-else]\n  where: here"
