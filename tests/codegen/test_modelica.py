"""Modelica: parsed and flattened by rumoca, evaluated at all states, and simulated by rumoca; pymoca reads it, too.

What is checked of the language: models, parameters that follow from others, inputs and outputs with attributes, flat
equations, initial equations, functions with loops, if-expressions with noEvent, annotations, extends, connectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import Flange, Modelica, Program
from multibody.graph import Table, evaluate, sin
from multibody.report import Latex

from .conftest import named_case
from .models import Case, every_operation

rumoca = pytest.importorskip("rumoca")

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Exp": np.power, "Lt": np.less,
    "Le": np.less_equal, "Gt": np.greater, "Ge": np.greater_equal, "And": np.logical_and, "Or": np.logical_or,
    "Neq": np.not_equal,
}  # fmt: skip
UNARY: dict[str, Callable[[Any], Any]] = {"Minus": np.negative, "Not": np.logical_not}
CALLS: dict[str, Callable[..., Any]] = {
    "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan, "Atan2": np.arctan2, "Min": np.minimum,
    "Max": np.maximum, "NoEvent": lambda x: x,
}  # fmt: skip
CALLS |= {name.capitalize(): getattr(np, name) for name in "sin cos tan sinh cosh tanh exp log sqrt abs sign".split()}


class Flat:
    """A model that rumoca has flattened, evaluated with NumPy at many states at once."""

    def __init__(self, text: str, name: str) -> None:
        self.tree = rumoca.Session().loads(text, model=name).to_dict("flat")
        self.variables: dict[str, Any] = self.tree["variables"]
        public = {key: one for key, one in self.variables.items() if not one["is_protected"]}
        self.parameters = [key for key, one in public.items() if "Parameter" in one["variability"]]
        self.inputs = [key for key, one in public.items() if "Input" in one["causality"]]
        self.outputs = [key for key, one in public.items() if "Output" in one["causality"]]
        self.states = [key for key, one in public.items() if one["state_select"] == "Prefer"]
        self.multipliers = [key for key in public if key.startswith("lambda_")]

    def at(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """All variables, and the rates of the states as ``der(name)``."""
        values = dict(known)
        for name, one in self.variables.items():
            if name not in values and "Parameter" in one["variability"]:
                values[name] = self.value(one["binding"], values)
        for equation in self.tree["equations"]:
            left, right = (equation["residual"]["Binary"][side] for side in ("lhs", "rhs"))
            values[self.target(left)] = self.value(right, values)
        return values

    def target(self, tree: Any) -> str:
        if "VarRef" in tree:
            return tree["VarRef"]["name"]["name"]
        return f"der({self.target(tree['BuiltinCall']['args'][0])})"

    def value(self, tree: Any, known: Mapping[str, Any]) -> Any:
        ((kind, node),) = tree.items()
        if kind == "Literal":
            return next(iter(node["value"].values()))
        if kind == "VarRef":
            return known[node["name"]["name"]]
        if kind == "Array":
            return np.array([self.value(one, known) for one in node["elements"]])
        if kind == "Index":
            places = (one["Index"]["value"] if "Index" in one else self.value(one["Expr"]["expr"], known)
                      for one in node["subscripts"])  # fmt: skip
            return self.value(node["base"], known)[tuple(place - 1 for place in places)]
        if kind == "If":
            ((condition, value),) = node["branches"]
            return np.where(*(self.value(one, known) for one in (condition, value, node["else_branch"])))
        if kind == "Binary":
            return BINARY[node["op"]](self.value(node["lhs"], known), self.value(node["rhs"], known))
        if kind == "Unary":
            return UNARY[node["op"]](self.value(node["rhs"], known))
        arguments = [self.value(one, known) for one in node["args"]]
        if kind == "BuiltinCall":
            return CALLS[node["function"]](*arguments)
        return np.vectorize(lambda *given: self.called(node["name"]["name"], given), otypes=[float])(*arguments)

    def called(self, name: str, given: tuple[float, ...]) -> float:
        function = self.tree["functions"][name]
        known = dict(zip((one["name"] for one in function["inputs"]), given, strict=True))
        known |= {one["name"]: self.value(one["default"], {}) for one in function["locals"] if one["default"]}
        self.run(function["body"], known)
        return known[function["outputs"][0]["name"]]

    def run(self, statements: list[Any], known: dict[str, Any]) -> None:
        for statement in statements:
            ((kind, node),) = statement.items()
            if kind == "Assignment":
                known[node["comp"]["parts"][0]["ident"]] = self.value(node["value"], known)
            elif kind == "For":
                (index,) = node["indices"]
                bounds = (self.value(index["range"]["Range"][end], known) for end in ("start", "end"))
                first, last = bounds
                for k in range(first, last + 1):
                    known[index["ident"]] = k
                    self.run(node["equations"], known)
            else:
                (block,) = node["If"]["cond_blocks"] if "If" in node else node["cond_blocks"]
                if self.value(block["cond"], known):
                    self.run(block["stmts"], known)


def written(source: mb.EquationsOfMotion | Program, **options: Any) -> tuple[str, str]:
    """The name of the model, and its text."""
    program = source if isinstance(source, Program) else Program.of(source)
    ((path, text),) = Modelica(**options).files(program).items()
    return path.removesuffix(".mo"), text


def at_states(flat: Flat, case: Case, **more: float) -> dict[str, Any]:
    """Everything at all states of a case."""
    t, q, u, r, p = (np.stack(part, axis=-1) for part in zip(*case.states, strict=True))
    names = [*flat.states, *flat.inputs, *(one for one in flat.parameters if one != "stabilization")]
    with np.errstate(all="ignore"):  # branches that are not taken
        return flat.at({"time": t, **dict(zip(names, [*q, *u, *r, *p], strict=True)), **more})


def rows(values: Mapping[str, Any], names: list[str], count: int) -> np.ndarray:
    return np.array([np.broadcast_to(values[name], count) for name in names]).reshape(len(names), count).T


def test_at_a_hundred_states(case: Case) -> None:
    name, text = written(case.program)
    flat = Flat(text, name)
    values = at_states(flat, case, stabilization=0.0)
    count, n = len(case.states), len(case.program.coordinates)
    rates = rows(values, [f"der({one})" for one in flat.states], count)
    found = {"q_dot": rates[:, :n], "u_dot": rates[:, n:], "outputs": rows(values, flat.outputs, count)}
    found["multipliers"] = rows(values, flat.multipliers, count)
    expected = {key: value for key, value in case.expected.items() if key in found}
    case.agrees(found, expected=expected)
    assert len(flat.outputs) == len(case.program.outputs)


def test_every_operation_by_itself() -> None:
    case = named_case("every_operation")
    name, text = written(case.program)
    flat = Flat(text, name)
    found = rows(at_states(flat, case), flat.outputs, len(case.states))
    np.testing.assert_allclose(found, case.expected["outputs"], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("model", ["crane_crab", "four_bar_explicit", "every_operation", "panda"])
def test_rumoca_computes_the_same(model: str) -> None:
    case = named_case(model)
    name, text = written(case.program)
    flat = Flat(text, name)
    inputs = ", ".join(f"{one} = in_{one}" for one in flat.inputs)
    lines = [f"parameter Real in_{one} = 0;" for one in flat.inputs] + [f"Real r_{s} = der({s});" for s in flat.states]
    check = rumoca.Session().loads(
        f"{text}model Check extends {name}({inputs}); {' '.join(lines)} end Check;", model="Check"
    )
    for t, q, u, r, p in case.states[: 1 if model == "panda" else 3]:
        values = dict(zip(flat.parameters, p, strict=True))
        values |= {f"in_{one}": value for one, value in zip(flat.inputs, r, strict=True)}
        start = dict(zip(flat.states, [*q, *u], strict=True))
        run = check.simulate(t=(t, t + 1e-6), dt=1e-6, start=start, params=values)
        found = np.array([run[f"r_{one}"][0] for one in flat.states])
        wanted = np.concatenate(case.eom.state_rate(t, q, u, r, p))
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("model", ["crane_crab", "four_bar_multipliers", "every_operation", "panda"])
def test_pymoca_reads_it(model: str) -> None:
    parser = pytest.importorskip("pymoca.parser")
    from pymoca import ast, tree

    name, text = written(named_case(model).program)
    parsed = parser.parse(text)
    flat = tree.flatten(parsed, ast.ComponentRef(name=name)).classes[name]
    assert len(flat.equations) == len(Flat(text, name).tree["equations"])


# simulations -----------------------------------------------------------------------------------------------------

OURS = mb.DormandPrince8(rtol=1e-12, atol=1e-12)
PRECISE = {"solver": "rk-like", "rtol": 1e-11, "atol": 1e-12}


def moved(text: str, model: str, duration: float, **options: Any) -> Any:
    """A run of rumoca's."""
    config = rumoca.SimConfig(**PRECISE)
    return (
        rumoca.Session().loads(text, model=model).simulate(t=(0, duration), dt=duration / 40, config=config, **options)
    )


@pytest.mark.parametrize("model", ["crane_crab", "four_bar_explicit", "four_bar_multipliers"])
def test_simulation_agrees(model: str) -> None:
    case = named_case(model)
    name, text = written(case.program)
    (force,) = (one.name for one in case.program.inputs)
    run = moved(f"{text}model Driven {name} s({force} = 3*sin(2*time)); end Driven;", "Driven", 2.0)
    law = 3 * sin(2 * case.eom.model.time)
    ours = mb.simulate(
        case.eom, times=run.time, inputs={force: law}, integrator=mb.DormandPrince8(rtol=1e-12, atol=1e-12)
    )
    for one in (*case.program.states, *case.program.outputs):
        if one.name in ours:
            np.testing.assert_allclose(run[f"s.{one.name}"], ours[one.name], atol=1e-8, err_msg=one.name)
    assert abs(run[f"s.{case.program.states[0].name}"][-1] - run[f"s.{case.program.states[0].name}"][0]) > 0.05


def free_top() -> mb.EquationsOfMotion:
    """A body that turns and flies: a quaternion that must stay of length one."""
    system = mb.System("top", gravity=(0, 0, -9.81))
    system.joint(
        "flight", system.world, system.body("top", 2.0, (0, 0, 0), (1.0, 2.0, 3.5)), mb.Free(), u=(0.3, 4, 0.1, 1, 0, 5)
    )
    return mb.derive(system)


def test_quaternions_keep_their_length() -> None:
    eom = free_top()
    name, text = written(eom)
    flat = Flat(text, name)
    run, ours = (
        moved(text, name, 3.0),
        mb.simulate(eom, duration=3.0, samples=41, integrator=mb.DormandPrince8(rtol=1e-12)),
    )
    for one in flat.states:
        np.testing.assert_allclose(run[one], ours[one], atol=3e-8, err_msg=one)
    stretched = {one: 1.01 * run[one][-1] for one in flat.states}
    rates = {rate: flat.at({"time": 0.0, **stretched, "stabilization": rate}) for rate in (0.0, 7.0)}
    quaternion = [flat.states[k] for k in eom.model.quaternions[0]]
    pull = np.array([rates[7.0][f"der({one})"] - rates[0.0][f"der({one})"] for one in quaternion])
    np.testing.assert_allclose(pull, [-7 * stretched[one] * 0.01 / 1.01 for one in quaternion], atol=1e-7)


def test_a_sledge_glides_along_its_blade() -> None:
    """A constraint on velocities alone: it leaves all coordinates free, and one speed follows."""
    system = mb.System("sledge")
    body = system.body("body", 5.0, (0.2, 0, 0), (1, 1, 1))
    system.joint("p", system.world, body, ["Tx", "Ty", "Rz"], u=(1.0, 0.0, 0.7))
    system.constraint(mb.KnifeEdge(system.world, body), name="blade")
    eom = mb.derive(system, constraints=mb.Multipliers())
    name, text = written(eom)
    assert text.count("fixed=false") == 1
    run, ours = moved(text, name, 3.0), mb.simulate(eom, duration=3.0, samples=41, integrator=OURS)
    for one in Program.of(eom).states:
        np.testing.assert_allclose(run[one.name], ours[one.name], atol=1e-8, err_msg=one.name)
    assert "Constraint matrix" in Latex().files(Program.of(eom))["sledge.tex"]


def loop() -> mb.System:
    """A four-bar whose lengths are parameters."""
    system = mb.System("linkage", gravity=(0, -9.81, 0))
    a, b, c, base = system.parameters(a=1.0, b=3.5, c=2.5, base=3.0)
    crank, coupler, rocker = (
        system.body(name, 2.0, (length / 2, 0, 0), (0, 1, 1)) for name, length in (("A", a), ("B", b), ("C", c))
    )
    system.joint("alpha", system.world, crank, "Rz", q=0.8)
    system.joint("beta", crank.frame("to_b", (a, 0, 0)), coupler, "Rz")
    system.joint("gamma", system.frame("D", (base, 0, 0)), rocker, "Rz")
    system.joint("cut", coupler.frame("end_b", (b, 0, 0)), rocker.frame("end_c", (c, 0, 0)), "Rz", cut=True)
    return system


def test_loops_close_with_other_lengths() -> None:
    eom = mb.derive(loop(), constraints=mb.Multipliers())
    name, text = written(eom)
    tree = Flat(text, name).tree["variables"]
    fixed = {key: "true" in str(one["fixed"]).lower() for key, one in tree.items() if one["state_select"] == "Prefer"}
    assert fixed == {"alpha": True, "beta": False, "gamma": False} | {
        "alpha_dot": True, "beta_dot": False, "gamma_dot": False
    }  # fmt: skip
    run = moved(text, name, 1.0, params={"b": 3.3, "base": 2.9})
    ours = mb.simulate(eom, duration=1.0, samples=41, parameters={"b": 3.3, "base": 2.9})
    gaps = [one for one in run.names if one.startswith("gap_")]
    assert len(gaps) == 4
    assert max(np.abs(run[one]).max() for one in gaps) < 1e-5
    for one in fixed:
        np.testing.assert_allclose(run[one], ours[one], atol=1e-5, err_msg=one)


def test_states_are_pulled_back_onto_the_constraints() -> None:
    eom = mb.derive(loop(), constraints=mb.Multipliers())
    name, text = written(eom)
    flat = Flat(text, name)
    off = {one.name: one.value + 1e-4 * k for k, one in enumerate(Program.of(eom).states)} | {"time": 0.0}
    still, pulled = (flat.at(off | {"stabilization": rate}) for rate in (0.0, 1.0))
    back = {one: off[one] + pulled[f"der({one})"] - still[f"der({one})"] for one in flat.states} | {"time": 0.0}
    before, after = (flat.at(state | {"stabilization": 0.0}) for state in (off, back))
    gaps = [one for one in before if one.startswith("gap_")]
    assert max(abs(before[one]) for one in gaps) > 1e-4
    assert max(abs(after[one]) for one in gaps) < 5e-7  # one step of Newton's


# connectors ------------------------------------------------------------------------------------------------------

LIBRARY = """package Modelica
  package Mechanics
    package Translational
      package Interfaces connector Flange_b Real s; flow Real f; end Flange_b; end Interfaces;
    end Translational;
    package Rotational
      package Interfaces connector Flange_b Real phi; flow Real tau; end Flange_b; end Interfaces;
    end Rotational;
  end Mechanics;
end Modelica;
model Spring
  Modelica.Mechanics.Translational.Interfaces.Flange_b flange;
equation
  flange.f = 30*(flange.s - 0.7);
end Spring;
"""


def crab(*, reverse: bool, spring: bool) -> mb.EquationsOfMotion:
    """A crab with a load, driven by a force, or held by a spring."""
    system = mb.System("crab", gravity=(0, 0, -9.81))
    body, load = system.body("body", 4.0), system.body("load", 1.0, (0, 0, -1), (0.1, 0.1, 0.1))
    system.joint("x", system.world, body, "Tx", q=1.2)
    system.joint("swing", body, load, "Ry", q=0.4)
    if spring:
        system.load(mb.SpringDamper(system.world, body, 30.0, 0.0, 0.7))
    else:
        force = system.input("F", unit="N")
        system.load(mb.PointToPointForce(system.world, body, -force if reverse else force))
    system.sensor("d", mb.Distance(system.world, body))
    return mb.derive(system)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("along", ["d", "x"])
def test_a_spring_on_a_flange(reverse: bool, along: str) -> None:
    if along == "x":  # where x > 0 the two are the same, but not everywhere
        with refused("flange-without-power", "F", "x"):
            written(crab(reverse=reverse, spring=False), flanges=(Flange("hook", "F", along),))
        return
    _, text = written(crab(reverse=reverse, spring=False), flanges=(Flange("hook", "F", along),))
    test = "model Test crab c; Spring s; equation connect(c.hook, s.flange); end Test;"
    run = moved(LIBRARY + text + test, "Test", 2.0)
    ours = mb.simulate(crab(reverse=reverse, spring=True), duration=2.0, samples=41)
    np.testing.assert_allclose(run["c.x"], ours["x"], atol=1e-6)
    np.testing.assert_allclose(run["c.swing"], ours["swing"], atol=1e-6)


def test_a_flange_that_turns() -> None:
    shaft = Flange("shaft", "torque", "a", "rotational")
    _, text = written(named_case("four_bar_explicit").program, flanges=(shaft,))
    motor = "model Motor Modelica.Mechanics.Rotational.Interfaces.Flange_b f; equation f.tau = 4*f.phi; end Motor;"
    test = "model Test four_bar s; Motor m; equation connect(s.shaft, m.f); end Test;"
    run = moved(LIBRARY + text + motor + test, "Test", 1.0)
    eom = named_case("four_bar_explicit").eom
    ours = mb.simulate(eom, duration=1.0, samples=41, inputs={"torque": -4 * eom.coordinates[0]})
    np.testing.assert_allclose(run["s.a"], ours["a"], atol=1e-6)


def test_the_pattern_of_a_partial_model() -> None:
    _, text = written(crab(reverse=False, spring=False), partial=True)
    assert text.startswith("partial model crab ")
    own = """model Crane
      extends crab;
      Modelica.Mechanics.Translational.Interfaces.Flange_b flange;
    equation
      flange.f = F;
      flange.s = d;
    end Crane;
    model Test Crane c; Spring s; equation connect(c.flange, s.flange); end Test;"""
    run = moved(LIBRARY + text + own, "Test", 2.0)
    ours = mb.simulate(crab(reverse=False, spring=True), duration=2.0, samples=41)
    np.testing.assert_allclose(run["c.swing"], ours["swing"], atol=1e-6)


def test_flanges_that_cannot_be() -> None:
    eom = crab(reverse=False, spring=False)
    with refused("name-unknown", "G"):
        written(eom, flanges=(Flange("f", "G", "d"),))
    with refused("name-unknown", "e"):
        written(eom, flanges=(Flange("f", "F", "e"),))
    with refused("flange-without-power", "swing"):
        written(eom, flanges=(Flange("f", "F", "swing"),))
    with refused("flange-kind-unknown"):
        Flange("f", "F", "d", "magic")  # type: ignore[arg-type]
    with refused("flange-force-repeated"):
        Modelica(flanges=(Flange("f", "F", "d"), Flange("g", "F", "d")))


def test_the_kind_of_a_flange_is_that_of_its_units() -> None:
    eom = crab(reverse=False, spring=False)
    with refused("flange-unit-wrong", "F") as error:
        written(eom, flanges=Flange("f", "F", "d", "rotational"))
    assert 'kind="translational"' in str(error.value)
    with refused("flange-unit-wrong", "torque"):
        written(named_case("four_bar_explicit").program, flanges=Flange("f", "torque", "a"))


def test_tables_go_on_to_infinity() -> None:
    """Beyond their ends they are straight, or constant: zero times infinity must not come in."""
    for table in (
        Table("level", [0.0, 1.0, 2.0], [1.0, 3.0, 3.0]),
        Table("bow", [0.0, 1.0, 2.0], [1.0, 3.0, 2.0], "cubic"),
    ):
        system = mb.System("tabled")
        x = system.joint("x", system.world, system.body("b", 1.0), "Tx").coordinate
        system.sensor("y", mb.Expression(table(x)))
        name, text = written(mb.derive(system))
        flat = Flat(text, name)
        for at in (-np.inf, np.inf, -3.0, 0.5, 1.7, 9.0):
            wanted = evaluate(table(x), {x: at})
            assert flat.at({"x": at, "x_dot": 0.0, "time": 0.0})["y"] == pytest.approx(wanted, rel=1e-14)
        assert np.isnan(flat.at({"x": np.nan, "x_dot": 0.0, "time": 0.0})["y"])


# names and texts -------------------------------------------------------------------------------------------------


def test_nothing_breaks_out_of_texts() -> None:
    evil = [
        '"; end x; model y "',
        "*/ // \\",
        'annotation(x="',
        "line\nbreak\\",
        '</html>"<script>',
        '\\"',
        "\u2028é漢",
    ]
    system = mb.System("model_", gravity=(0, 0, -9.81))
    for k, text in enumerate(evil):
        system.parameter(f"p{k}", 1.0, unit=text, description=text)
    mass = system.parameter("stabilization", 2.0, description="mass")
    body = system.body("b", mass * system.parameter("model_", 1.0))
    q = system.joint("der", system.world, body, "Tx").coordinate
    system.load(mb.Force(body, (system.input("time_", description=evil[0]) - q, 0, 0)))
    system.sensor("end", mb.Expression(q))
    name, text = written(mb.derive(system))
    flat = Flat(text, name)
    assert len(flat.states) == 2
    described = [flat.variables[one]["description"] for one in flat.parameters if one[0] == "p"]
    for one, wanted in zip(described, evil, strict=True):
        assert wanted.replace("\n", " ").replace("\u2028", " ") in one
    assert (len(flat.parameters), len(flat.inputs), len(flat.outputs)) == (len(evil) + 2, 1, 1)


def test_the_same_text_twice() -> None:
    first, second = (written(every_operation()) for _ in range(2))
    assert first == second


def test_shortest_names() -> None:
    case = named_case("four_bar_explicit")
    name, text = written(case.program, names="short")
    flat = Flat(text, name)
    assert "  Real v1;" in text
    assert "sin_a" not in text
    values = at_states(flat, case)
    np.testing.assert_allclose(values["der(a_dot)"], case.expected["u_dot"][:, 0], rtol=1e-11)
