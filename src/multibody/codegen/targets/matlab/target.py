"""MATLAB and Octave: the files of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from multibody.codegen.code import Code, member_names
from multibody.codegen.contract import Names, Target, check_options
from multibody.codegen.program import Program
from multibody.codegen.program_data import Routine
from multibody.codegen.sensor_descriptions import description
from multibody.codegen.syntax import one_line
from multibody.codegen.targets.matlab.dead_points import OWN as WATCHING
from multibody.codegen.targets.matlab.language import (
    SYNTAX,
    file,
    function,
    help_text,
    legend,
    opening,
    shaped,
    statements,
    stem,
)
from multibody.codegen.targets.matlab.parameters import parameters
from multibody.codegen.targets.matlab.shapes import FUNCTIONS as SHAPES
from multibody.codegen.targets.matlab.simulation import simulation
from multibody.codegen.targets.matlab.visual import figure, visual
from multibody.errors import UnknownNameError

MORE = ("mass_matrix", "bias", "multipliers", "residuals", "energy", "jacobian", "sensor_jacobian")
"""Routines for which there can be files of their own."""

ENDINGS = ("sim", "der_state", "inputs", "sensors", "visual", "parameters")
OWN = (
    "T Y S y y0 dy k options struct error follows changes names given name following projected nearest approach gaps "
    "stepwise closed scene show corners look laid"
).split()
"""Identifiers that the files use for themselves."""


@dataclass(frozen=True)
class Matlab(Target):
    """Files for MATLAB and Octave, each with a function of its name, and with help.

    * ``<name>_sim.m``: start values and times, and the call of the solver ``ode45``.
    * ``<name>_der_state.m``: the rate of the state, ``dy = <name>_der_state(t, y, p)``.
    * ``<name>_inputs.m``: the inputs as a function of time and state. It is yours to fill in: once you have changed it,
      it stays as it is when the model is exported again.
    * ``<name>_sensors.m``: a structure of all sensors' values.
    * ``<name>_visual.m``: the animation of what the solver has returned, as fast as you like.
    * ``<name>_parameters.m``: the parameters as a structure.

    Args:
        more: routines that get a file of their own, such as ``("mass_matrix", "bias", "jacobian")``, or one of them.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have; longer ones are split.

    Example:
        >>> import multibody as mb
        >>> from multibody.codegen import export
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> done = export(mb.derive(pendulum), Matlab(), getfixture("tmp_path"))
        >>> [path.stem for path in done.written]  # doctest: +NORMALIZE_WHITESPACE
        ['pendulum_der_state', 'pendulum_inputs', 'pendulum_parameters', 'pendulum_sensors', 'pendulum_sim',
         'pendulum_visual']
        >>> rate = (done.folder / "pendulum_der_state.m").read_text()
        >>> [line.strip() for line in rate.splitlines() if "u_dot(" in line]
        ['u_dot(1) = -9.81*sin_angle;']
    """

    more: Sequence[str] = ()
    names: Names = "readable"
    limit: int = 2000

    def __post_init__(self) -> None:
        check_options(self, "names", "limit")
        if isinstance(self.more, str):
            object.__setattr__(self, "more", (self.more,))
        unknown = [name for name in self.more if name not in MORE]
        if unknown:
            raise UnknownNameError(
                f"There is no file for {', '.join(map(repr, unknown))}.", where="Matlab(more=…)",
                remedy=f"There can be files for: {', '.join(MORE)}.",
            )  # fmt: skip

    def files(self, program: Program) -> Mapping[str, str]:
        """One function in each file."""
        name, drawn = stem(program.name), figure(program)
        more = [routine for routine in self.more if program.has(routine)]
        functions = [f"{name}_{ending}" for ending in (*ENDINGS, *more)]
        wanted: list[str | Routine] = ["state_rate", "sensors", "projection", "closure", drawn.routine, *more]
        taken = [*OWN, *SHAPES, *functions]
        if program.loops:
            wanted.append(program.watched)
            taken += WATCHING
        code = program.code(wanted, SYNTAX, taken=taken, names=self.names, limit=self.limit)
        texts = {
            "sim": simulation(program, code, name),
            "der_state": _der_state(program, code, name),
            "inputs": _inputs(program, name),
            "sensors": _sensors(program, code, name),
            "visual": visual(program, code, name, drawn),
            "parameters": parameters(program, code, name),
        } | {routine: _routine(program, code, name, routine) for routine in more}
        return {f"{name}_{ending}.m": text for ending, text in texts.items()}


def _state_help(program: Program) -> list[str]:
    return [
        "   p, c: what the function for the parameters returns; without them, the defaults.",
        *legend("The state:", program.states, "y"),
    ]


def _der_state(program: Program, code: Code, name: str) -> str:
    remark = [*help_text(program, f"{name}_der_state", "Rate of the state: dy = f(t, y)."), *_state_help(program)]
    lines, pieces = _statements(code, "state_rate", f"{name}_rate")
    vectors = [x.name for x in program.routine("state_rate").results if x.size]
    last = f"dy = [{'; '.join(vectors)}];" if vectors else "dy = zeros(0, 1);"
    head = f"dy = {name}_der_state(t, y, p, c)"
    return file(code, function(head, [*opening(program, name), *lines, last], remark), *pieces)


def _statements(code: Code, routine: str, prefix: str) -> tuple[list[str], list[str]]:
    return statements(code[routine], prefix) if routine in code else ([], [])


def _inputs(program: Program, name: str) -> str:
    remark = [
        *help_text(program, f"{name}_inputs", "Inputs at time t in state y: fill in what drives your system."),
        "   This file is yours: once you have changed it, it stays as it is when the model is exported again.",
        *legend("The state:", program.states, "y"),
    ]
    lines = [f"r = zeros({len(program.inputs)}, 1);"]
    for k, quantity in enumerate(program.inputs, 1):
        lines.append(f"r({k}) = {quantity.value!r}; {SYNTAX.remark(f'{quantity.name} {quantity.meaning}')}")
    return function(f"r = {name}_inputs(t, y, p) %#ok<INUSD>", lines, remark) + "\n"


def _sensors(program: Program, code: Code, name: str) -> str:
    own = member_names(list(program.eom.outputs), SYNTAX)
    fields = [
        f"     S.{own[output]}: {one_line(description(program.eom.model.sensors[output]))}"
        for output in program.eom.outputs
    ]
    remark = [
        *help_text(program, f"{name}_sensors", "What the sensors measure: S = g(t, y)."),
        "   For vectors of times T and states Y, row by row, as a solver returns them, S is an array of structures.",
        *_state_help(program),
        *(["", "   The sensors:", *fields] if fields else []),
    ]
    many = _MANY.format(name=name).splitlines()
    lines, pieces = _statements(code, "sensors", f"{name}_measure")
    shapes = {output: np.shape(value) for output, value in program.eom.outputs.items()}
    ends = [0, *accumulate(int(np.prod(shape)) for shape in shapes.values())]
    lines.append("S = struct();")
    for (output, shape), start, end in zip(shapes.items(), ends, ends[1:], strict=False):
        lines.append(f"S.{own[output]} = {shaped(f'outputs({start + 1}:{end})', shape)};")
    first, rest = opening(program, name)[:6], opening(program, name)[6:]
    return file(code, function(f"S = {name}_sensors(t, y, p, c)", [*first, *many, *rest, *lines], remark), *pieces)


_MANY = """if numel(t) > 1
    for k = numel(t):-1:1
        S(1, k) = {name}_sensors(t(k), y(k, :), p, c);
    end
    return
end"""


def _routine(program: Program, code: Code, name: str, routine: str) -> str:
    """A file for one of the other routines."""
    own = f"{name}_{routine}"
    described = program.routine(routine)
    remark = [*help_text(program, own, f"{described.description[:1].upper()}{described.description[1:]}.")]
    lines, pieces = _statements(code, routine, own)
    results = [result for result in described.results if result.size]
    lines += [f"{x.name} = {shaped(x.name, x.shape)};" for x in results if len(x.shape) > 1]
    made = ", ".join(x.name for x in results)
    head = f"{made if len(results) == 1 else f'[{made}]'} = {own}(t, y, p, c)"
    return file(code, function(head, [*opening(program, name), *lines], [*remark, *_state_help(program)]), *pieces)
