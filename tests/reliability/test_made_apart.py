"""No verb makes expressions among those of the user: what it makes cannot depend on them, nor they on it.

Whatever a verb makes is made in a table of its own. So the common table, in which expressions written by users are
found, has no new entries after it.
"""

from fractions import Fraction
from pathlib import Path

import pytest

import multibody as mb
from multibody.formalisms.wittenburg.tables import Tables
from multibody.graph import constant, live_nodes, sin
from multibody.graph.node import default_table
from multibody.model import Kinematics
from multibody.testing import random_system

from .small_models import FORMALISMS, crane


def entries():
    """What is found in the common table: expressions by value and by form."""
    live_nodes()  # removes the entries of nodes that are gone
    return {*default_table, *default_table.structures}


def made_among_users(verb):
    """What a verb returns, and how many nodes it has made in the common table."""
    before = entries()
    result = verb()
    return result, len({*default_table, *default_table.structures} - before)


def bar(*, recognise_loops=True):
    """A four-bar linkage with a spring, a damper and a sensor for a force."""
    system = mb.System("bar_apart", gravity=(0, -9.81, 0), recognise_loops=recognise_loops)
    length, k = system.parameters(length=0.9, k=40.0)
    crank = system.body("crank", 1.0, (0.15, 0, 0), (0, 0, 0.01))
    coupler = system.body("coupler", 2.0, (length / 2, 0, 0), (0, 0, 0.1))
    rocker = system.body("rocker", 1.5, (0.3, 0, 0), (0, 0, 0.05))
    system.joint("a", system.world, crank, "Rz", guess=1.0)
    system.joint("b", crank.frame("tip", (0.3, 0, 0)), coupler, "Rz", guess=-0.8)
    joint = system.joint("c", system.frame("foot", (1.0, 0, 0)), rocker, "Rz", guess=1.8)
    system.joint("d", coupler.frame("end", (length, 0, 0)), rocker.frame("top", (0.6, 0, 0)), "Rz")
    system.load(mb.JointSpring(joint, k, 1.5))
    system.load(mb.JointDamper(joint, 0.3))
    system.sensor("place", mb.Position(rocker))
    system.sensor("force", mb.ConstraintForce(joint))
    return system


SYSTEMS = {
    "crane": lambda: crane("crane_apart", links=1), "bar": bar, "cut": lambda: bar(recognise_loops=False),
    "tree": lambda: random_system(3, 3, sensors=3, prescribed=0.3),
}  # fmt: skip
HANDLINGS = {"closed": None, "multipliers": mb.Multipliers(), "independent": mb.IndependentSpeeds()}


def of_systems(system):
    """Verbs that take a system."""
    yield "check", lambda: str(system.check())
    yield "analyse", lambda: str(system.analyse())
    yield "freeze", lambda: system.freeze()._repr_html_()
    yield "tables", lambda: str(Tables(system.freeze()))
    yield "compare", lambda: str(mb.compare(system, [mb.Kane(), mb.Recursive()]))
    yield "text", lambda: mb.model_text(system)
    yield "page", lambda: mb.page_html(system)
    yield "subsystem", lambda: str(mb.modular.from_system(system))
    yield "kinematics", lambda: [Kinematics(system.freeze()).velocity(body) for body in system.freeze().bodies]
    for formalism in FORMALISMS:
        yield f"derive by {formalism}", lambda formalism=formalism: str(mb.derive(system, formalism))


def of_equations(eom, folder):
    """Verbs that take equations."""
    inputs = {one.name: 0.3 for one in eom.inputs}
    yield "matrices", lambda: [str(getattr(eom, name)) for name in ("M", "h", "f", "B", "phi", "gamma", "N", "nu")]
    yield "energies", lambda: (eom.kinetic_energy, eom.potential_energy, eom.linear_momentum, eom.angular_momentum)
    yield "sensors", lambda: (eom.outputs, eom.reactions)
    yield "latex", eom.to_latex
    yield "readable", lambda: str(eom.readable(seconds=0.2))
    yield "functions", lambda: (eom.forward_dynamics.operations, eom.inverse_dynamics.operations)
    yield "simulate", lambda: mb.simulate(eom, 0.02, samples=3, inputs=inputs).energies
    yield "linearize", lambda: str(mb.linearize(eom))
    yield "jacobians", lambda: mb.jacobians(eom)
    yield "to SymPy", lambda: mb.to_sympy(eom)
    for target in (mb.C(), mb.Python(), mb.Modelica(), mb.Markdown(seconds=0.2)):
        yield type(target).__name__, lambda target=target: mb.export(eom, target, folder / type(target).__name__)


@pytest.mark.parametrize("name", SYSTEMS)
def test_verbs_of_systems(name):
    system = SYSTEMS[name]()
    found = {verb: made_among_users(run)[1] for verb, run in of_systems(system)}
    assert found == dict.fromkeys(found, 0)


@pytest.mark.parametrize(("name", "handling"), [("crane", "closed"), ("tree", "closed"), ("bar", "closed"),
                                                ("cut", "multipliers"), ("cut", "independent")])  # fmt: skip
def test_verbs_of_equations(name, handling, tmp_path: Path):
    system = SYSTEMS[name]()
    eom = mb.derive(system, constraints=HANDLINGS[handling])
    found = {verb: made_among_users(run)[1] for verb, run in of_equations(eom, tmp_path)}
    assert found == dict.fromkeys(found, 0)


def test_modular_models():
    """Their symbols have the scope of all that users write, so that foreign expressions have the same symbols."""
    ball, made = made_among_users(lambda: mb.modular.newton_euler("B", "position", gravity="-z"))
    assert made == 0
    constraints = ["p_B_x = a*sin(q)", "p_B_y = 0", "p_B_z = -a*cos(q)"]
    options = {"variables": ["q"], "parameters": {"a": 2.0}}
    options["motion"] = mb.modular.KnownMotion(reference={"p_B_z": "-a"})
    pendulum, made = made_among_users(lambda: mb.modular.couple("S", [ball], constraints, **options))
    assert made == 0
    verbs = [
        lambda: str(pendulum.S), lambda: str(pendulum.dynamics), lambda: str(pendulum.explicit(seconds=0.2)),
        lambda: pendulum.equations().M, lambda: pendulum.renamed("T", suffix="_2"),
        lambda: mb.modular.linearize(pendulum).explicit(seconds=0.2),
        lambda: mb.modular.linearize(pendulum).state_space(),
    ]  # fmt: skip
    assert [made_among_users(verb)[1] for verb in verbs] == [0] * len(verbs)


def test_an_expression_of_the_user_is_seen():
    """The count is not zero for what is made in the common table."""
    eom = mb.derive(crane("crane_seen", links=1))
    kept, made = made_among_users(lambda: sin(eom.coordinates[0] * 1.375) + eom.acceleration[0])
    assert kept is not None
    assert made >= 3


def test_living_numbers_do_not_change_printed_ones():
    """Sums and quotients of whole numbers stay fractions, although the same numbers are alive as floats."""
    system = mb.System("double_apart")
    upper, lower = system.body("upper", 1, (0, 0, -1)), system.body("lower", 3, (0, 0, -1))
    system.joint("shoulder", system.world, upper, "Rx")
    system.joint("elbow", upper.frame("end", (0, 0, -2)), lower, "Ry")
    alive = [constant(number / 8) for number in range(600)]
    tables = mb.Wittenburg().tables(system)
    assert str(tables.b0[1]) == "Vec3(0, 0, 7/4)"
    assert "b0[2] = (0, 0, 3/4)" in str(tables)
    assert alive[14].value == Fraction(7, 4)
