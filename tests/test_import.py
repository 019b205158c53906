"""``import multibody`` names everything and loads nothing; each name is found where it is at home."""

import json
import os
import subprocess
import sys
from inspect import isfunction, signature
from pathlib import Path

import pytest
from tests.refusal import refused

import multibody as mb
from multibody import formalisms, graph, model

ROOT = Path(__file__).resolve().parents[1]
HEAVY = set("casadi dask jax llvmlite matplotlib numba pandas rich ruamel scipy sympy viser".split())
PENDULUM = """
pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
pendulum.joint("angle", pendulum.world, pendulum.body("bob", mass=2, com=(0, 0, -1)), "Ry")
mb.derive(pendulum).acceleration
"""


def loaded(code: str) -> set[str]:
    """The modules that a new process holds after some code."""
    script = f"import json, sys\n{code}\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_importing_loads_no_package_and_no_library():
    found = loaded("import multibody")
    assert {name for name in found if name.split(".")[0] == "multibody"} == {"multibody"}
    assert not found & (HEAVY | {"numpy"})


def test_a_first_model_needs_neither_a_compiler_nor_what_is_there_for_reading():
    found = loaded(f"import multibody as mb\n{PENDULUM}")
    packages = {name.split(".")[1] for name in found if name.startswith("multibody.")}
    assert packages == {"errors", "support", "graph", "algebra", "model", "mechanics", "equations", "formalisms"}
    assert not found & HEAVY
    assert not [
        name for name in found if name.startswith(("multibody.graph.closed_forms", "multibody.graph.text.latex"))
    ]
    assert "multibody.formalisms.kane" not in found


def test_a_star_brings_all_public_names():
    names = {}
    exec("from multibody import *", names)
    assert set(mb.__all__) <= set(names)
    assert names["System"] is model.System
    assert callable(names["simulate"])


@pytest.mark.parametrize("package", [mb, graph, formalisms], ids=lambda package: package.__name__)
def test_every_public_name_is_found_and_listed(package):
    assert len(package.__all__) == len(set(package.__all__))
    assert set(package.__all__) <= set(dir(package))
    assert not [name for name in package.__all__ if not hasattr(package, name)]
    with pytest.raises(AttributeError, match="Kain"):
        package.Kain


@pytest.mark.parametrize(("wrong", "right"), [("mb.Sytem", "System"), ("mb.library.pendlum", "pendulum")])
def test_a_misspelt_name_is_answered_by_the_right_one(wrong, right):
    script = f"import multibody as mb\n{wrong}"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 1
    assert f"Did you mean: '{right}'?" in done.stderr


def test_one_name_catches_all_errors():
    with refused("name-invalid"):
        mb.System("my system")
    assert mb.MultibodyError is mb.errors.MultibodyError


def test_the_vocabulary_of_models_is_public_as_a_whole():
    assert set(model.__all__) <= set(mb.__all__)
    assert not [name for name in model.__all__ if getattr(mb, name) is not getattr(model, name)]


def test_verbs_are_plain_functions_with_their_signatures():
    verbs = {verb: getattr(mb, verb) for verb in "derive compile simulate linearize export show".split()}
    assert all(isfunction(verb) for verb in verbs.values())
    assert {"eom", "duration", "integrator"} <= set(signature(mb.simulate).parameters)
    assert {"eom", "target", "folder"} <= set(signature(mb.export).parameters)
    with refused("value-not-equations"):
        mb.compile(mb.System("cart"))


def test_every_package_is_found():
    packages = {path.name for path in (ROOT / "src" / "multibody").iterdir() if (path / "__init__.py").exists()}
    assert all(getattr(mb, package).__name__ == f"multibody.{package}" for package in packages - {"cli"})


def test_a_name_stays_the_same_after_its_package_is_imported():
    for name in ("export", "simulate", "library", "plots", "modular"):
        assert getattr(mb, name) is getattr(mb, name)
    before = mb.simulate
    import multibody.simulation

    assert multibody.simulate is before is multibody.simulation.simulate
    assert mb.graph.parse("2*x").args  # the function, not the module of that name


def test_modular_is_the_public_name_of_subsystems():
    assert mb.modular.couple is mb.subsystems.couple
    assert mb.modular.__all__ == mb.subsystems.__all__
