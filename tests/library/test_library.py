"""Every model of the library: its numbers hold, can fail, and do not depend on the formalism."""

import importlib.util
import re
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.library.observe import moved

every_model = pytest.mark.parametrize("name", library.names())


@cache
def results(name):
    return library.find(name).check()


def test_the_library_is_complete():
    wanted = """pendulum double_pendulum cart_pole crane_crab four_bar slider_crank n_four_bar andrews rolling_disc
        bicycle stewart_platform heavy_top five_body_chain fourfold_pendulum spatial_four_bar n_link_chain""".split()
    assert sorted(library.names()) == sorted(wanted)
    assert all(getattr(library, name) is library.find(name).build for name in wanted)


@every_model
def test_all_numbers_hold(name):
    found = results(name)
    assert len(found) >= 3
    assert [one for one in found if not one.ok] == []
    assert all(one.what and one.source and one.tolerance <= 1e-4 for one in found)
    for one in found:
        assert abs(one.ours - one.reference) <= one.tolerance * (abs(one.reference) or 1)


MUTATIONS = {
    "pendulum": [{"length": 1.001}, {"g": 9.82}, {"damping": 0.01}],
    "double_pendulum": [{"length": 0.501}, {"inertia": 0.293}, {"mass": 13.87}, {"damping": 0.11}],
    "n_link_chain": [{"length": 1.001}, {"inertia": 0.01}, {"mass": 1.01}],
    "cart_pole": [{"cart": 1.01}, {"pole": 0.101}, {"half_length": 0.501}],
    "crane_crab": [{"m1": 1.01}, {"m2": 1.01}, {"l2": 1.01}],
    "four_bar": [{"density": 5.01}, {"lengths": (2.0, 1.01, 2.0, 1.01)}, {"g": 9.82}],
    "slider_crank": [{"crank": 0.151}, {"rod": 0.501}, {"rod_mass": 2.01}, {"slider_mass": 3.01}, {"crank_mass": 1.1}],
    "n_four_bar": [{"length": 1.001}, {"g": 9.82}, {"speed": 1.001}],
    "andrews": [{"mom": 0.0331}, {"c0": 4540.0}, {"m6": 0.00707}, {"I7": 1.92e-5}],
    "rolling_disc": [{"radius": 0.261}, {"g": 9.82}],
    "bicycle": [{"mc": 85.1}, {"ie31": 0.0092}],
    "stewart_platform": [{"top": 0.601}, {"tube": 3.01}],
    "heavy_top": [{"mass": 15.01}, {"along": 0.4688}, {"across": 0.2344}],
    "five_body_chain": [{"masses": (3, 3, 2, 1.5, 1.51)}, {"g": 9.82}],
    "fourfold_pendulum": [{"length": 1.001}, {"mass": 1.01}, {"trolleys": (2.0, 1.51)}],
    "spatial_four_bar": [{"diameter": 0.06}, {"speed": 5.236}, {"g": 9.81}],
}
"""Options that are a little wrong."""


def test_every_model_is_mutated():
    assert sorted(MUTATIONS) == sorted(library.names())


@pytest.mark.parametrize(
    ("name", "options"), [(name, options) for name, all_of_them in MUTATIONS.items() for options in all_of_them]
)
def test_a_wrong_option_is_noticed(name, options):
    model = library.find(name)
    assert not all(one.ok for one in model.check(model.build(**options)))


def test_a_value_that_is_no_number_is_wrong():
    check = library.Check("nothing", 1.0, "nowhere", np.inf, lambda eom: np.nan)
    assert not check.run(mb.derive(library.pendulum())).ok


def test_an_error_near_zero_is_absolute():
    eom = mb.derive(library.pendulum())
    assert library.Check("zero", 0.0, "nowhere", 1e-3, lambda eom: 1e-4).run(eom).error == 1e-4
    assert library.Check("two", 2.0, "nowhere", 1e-3, lambda eom: 2.001).run(eom).error == pytest.approx(5e-4)


def test_a_run_that_ends_early_is_no_number():
    """With this tolerance, the row of linkages does not get through the position in which all bars lie flat."""
    eom = mb.derive(library.n_four_bar())
    with refused("run-failed"):
        moved(eom, 5.0)


# formalisms ----------------------------------------------------------------------------------------------------------

OTHER = {"five_body_chain": mb.Wittenburg(), "rolling_disc": mb.Kane()}


@every_model
def test_two_formalisms_agree(name):
    other = OTHER.get(name, mb.NewtonEuler())
    comparison = mb.compare(library.find(name).build(), [mb.Recursive(), other])
    assert all(one.equations is not None for one in comparison.derivations)
    assert comparison.agree()


@pytest.mark.parametrize(
    ("name", "formalism"),
    [("crane_crab", mb.Lagrange()), ("four_bar", mb.Kane()), ("heavy_top", mb.Wittenburg()), ("bicycle", mb.Kane())],
)
def test_numbers_hold_by_other_formalisms(name, formalism):
    assert all(one.ok for one in library.find(name).check(formalism=formalism))


# descriptions --------------------------------------------------------------------------------------------------------

KNOWN_WARNINGS = {
    "crane_crab": "principal moment of inertia",  # the manual has an inertia about one axis only
    "spatial_four_bar": "Nothing resists the speed",  # three hinges make a ball joint, without mass between them
}


@every_model
def test_nothing_is_wrong_with_the_system(name):
    report = library.find(name).build().check()
    assert [one for one in report.findings if one.severity == "error"] == []
    if name in KNOWN_WARNINGS:
        assert all(KNOWN_WARNINGS[name] in one.what for one in report.findings)
    else:
        assert report.findings == ()


@every_model
def test_models_freeze_alike(name):
    """Built twice: the same symbols, the same start, the same accelerations."""
    first, second = (library.find(name).build().freeze() for _ in range(2))
    assert first.coordinates == second.coordinates
    assert first.speeds == second.speeds
    assert first.start == second.start
    one, other = ([rate.fp for rate in mb.derive(model).acceleration] for model in (first, second))
    assert one == other


@every_model
def test_everything_is_described(name):
    model = library.find(name)
    assert model.title
    assert model.description.endswith(".")
    system = model.build()
    frozen = system.freeze()
    assert all(one.description and (one.unit or "in " in one.description) for one in frozen.parameters)
    assert all(one.description and one.unit for one in frozen.inputs)
    assert system.drawings
    assert model.build.__doc__
    assert "Args:" in model.build.__doc__


def test_a_wrong_name_is_answered_by_a_suggestion():
    with refused("name-unknown", "four_bar") as caught:
        library.find("fourbar")
    assert "stewart_platform" in caught.value.remedy
    with refused("name-unknown"):
        library.find(3)


@pytest.mark.parametrize(("build", "wrong", "right"), [(library.andrews, "mon", "mom"), (library.bicycle, "mC", "mc")])
def test_a_wrong_parameter_is_answered_by_a_suggestion(build, wrong, right):
    with refused("name-unknown", f"'{wrong}'", f"'{right}'"):
        build(**{wrong: 1.0})


@pytest.mark.parametrize(
    ("build", "option", "wrong", "right"),
    [
        (library.four_bar, "cut", "q5", "q1"),
        (library.fourfold_pendulum, "cut", "phi6", "phi5"),
        (library.spatial_four_bar, "cut", "j6", "j5"),
        (library.spatial_four_bar, "coupler", "bal", "ball"),
        (library.andrews, "closed_by", "hinge", "hinges"),
        (library.heavy_top, "angles", "zxy", "zxz"),
    ],
)
def test_a_wrong_choice_is_answered_by_a_suggestion(build, option, wrong, right):
    with refused("name-unknown", option, f"'{wrong}'") as caught:
        build(**{option: wrong})
    assert right in caught.value.cause + caught.value.remedy


def test_couplers_move_alike():
    """Three hinges are a ball joint; a rod without mass is something else (Fourbar2 of the Modelica library)."""
    hinges, ball, rod = (
        moved(mb.derive(library.spatial_four_bar(coupler=coupler)), 1.0) for coupler in ("hinges", "ball", "rod")
    )
    assert ball["j1"][-1] == pytest.approx(hinges["j1"][-1], rel=1e-11)
    assert rod["j1"][-1] == pytest.approx(7.7882833349, rel=1e-10)


def test_multipliers_of_andrews():
    """Those of the book's equations at the start, with the other sign (Hairer and Wanner, section VII.7)."""
    eom = mb.derive(library.andrews(closed_by="equations"))
    state = eom.consistent()
    found = eom.constraint_forces(0.0, state.q, state.u, [], list(eom.model.parameter_values().values()))
    expected = [-98.5668703962410896, 6.12268834425566266, 0, 0, 0, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_number_of_links(n):
    assert len(library.n_link_chain(n).freeze().coordinates) == n
    assert library.n_four_bar(n).check().degrees_of_freedom == 1


# the page ------------------------------------------------------------------------------------------------------------

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "library.md").read_text(encoding="utf-8")


@cache
def table():
    spec = importlib.util.spec_from_file_location("library_table", DOCS / "library_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@every_model
def test_the_page_shows_the_numbers_of_a_model(name):
    """All but the errors, and ours up to the tolerance."""
    found = results(name)
    (shown,) = (part for part in PAGE.split("\n### ") if f"`library.{name}()`" in part)
    head, *rows = (line.strip("| \n").split(" | ") for line in shown.splitlines() if line.startswith("| "))
    made = table().section(name, found)
    assert made.partition("| number")[0].strip().removeprefix("### ") == shown.partition("| number")[0].strip()
    assert head == ["number", "ours", "reference", "error", "source"]
    for (what, ours, reference, _, source), one in zip(rows[1:], found, strict=True):
        wanted = table().row(one)
        assert [what, reference, source] == [wanted[0], wanted[2], wanted[4]]
        assert float(ours) == pytest.approx(one.reference, rel=max(2 * one.tolerance, 1e-10), abs=one.tolerance)


def test_the_code_on_the_page_prints_what_it_shows():
    code, shown = zip(*re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL), strict=True)
    with redirect_stdout(StringIO()) as printed:
        exec("\n".join(code), {})
    assert printed.getvalue() == "".join(shown)
