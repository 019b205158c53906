"""Equations to read: closed forms of equations of motion, as text, LaTeX and SymPy."""

import sympy

import multibody as mb
from multibody.graph import all_same
from multibody.testing import random_tree


def crane():
    system = mb.System("crane", gravity=(0, 0, -9.81))
    m1, m2, l = system.parameters(m1=10.0, m2=1.0, l=1.0)
    system.parameter("g", 9.81, unit="m/s²", description="free fall")
    force = system.input("F", unit="N", description="drive")
    crab, load = system.body("crab", m1), system.body("load", m2)
    slide = system.joint("x", system.world, crab, "Tx")
    system.joint("phi", crab, load.frame("hook", (0, 0, l)), "Ry")
    system.load(mb.JointLoad(slide, force))
    return system


def test_the_crane_prints_as_in_a_textbook():
    eom = mb.derive(crane(), mb.Kane())
    M = eom.to_sympy().M
    m1, m2, l, t = sympy.symbols("m1 m2 l t")
    phi = sympy.Function("phi")(t)
    expected = sympy.Matrix([[m1 + m2, -l * m2 * sympy.cos(phi)], [-l * m2 * sympy.cos(phi), l**2 * m2]])
    assert expected == M
    assert "d/dt phi_dot" in str(eom)
    assert len(str(eom)) < 450
    assert r"\cos\left(\phi\right)" in eom.to_latex()
    assert eom._repr_latex_().startswith("$$")


def test_nothing_changes_but_the_form():
    eom = mb.derive(random_tree(2, 2), mb.Recursive())
    found = eom.readable()
    assert all_same(found.M, eom.M, points=2)
    assert all_same(found.h, eom.h, points=2)
    assert all_same(found.acceleration, list(eom.acceleration), points=2)


def test_large_equations_are_printed_with_named_intermediates_at_once():
    eom = mb.derive(random_tree(0, 12, chain=True))
    found = eom.readable(seconds=0.5)
    assert not found.complete
    text = str(found)
    assert "v1 = " in text
    assert "operations, searched up to 6,000" in text


def test_a_complete_print_has_no_remark():
    assert "not all in closed form" not in str(mb.derive(crane()))


def test_printing_stops_at_its_own_limit():
    """Printed equations are searched for 0.7 s, and not for 4 s."""
    assert "not all in closed form: limits of 0.7 s" in str(mb.derive(mb.library.n_link_chain(8)))


def test_the_symbol_table_has_units_and_meanings():
    system = crane()
    system.constraint(system.world, system["load"], translation="x", name="wall")
    table = mb.derive(system).symbol_table()
    assert (table["x"].unit, table["phi"].unit, table["x_dot"].unit, table["phi_dot"].unit) == (
        "m",
        "rad",
        "m/s",
        "rad/s",
    )
    assert (table["F"].unit, table["F"].description) == ("N", "drive")
    assert table["g"].unit == "m/s²"
    assert (table["lambda_wall_fx"].kind, table["lambda_wall_fx"].unit) == ("multiplier", "N")
    assert "<td>free fall</td>" in table._repr_html_()
    flying = mb.System("flying")
    flying.joint("f", flying.world, flying.body("b", 1, (0, 0, 0), (1, 1, 1)), mb.Free())
    table = mb.derive(flying).symbol_table()
    assert [table[name].unit for name in ("f_x", "f_qw", "f_wx", "f_vx")] == ["m", "1", "rad/s", "m/s"]
