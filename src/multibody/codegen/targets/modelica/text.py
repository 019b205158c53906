"""The text of a Modelica model: declarations, flat equations, and documentation that no text can break out of."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Protocol

from multibody.codegen.code import Code
from multibody.codegen.program import Program
from multibody.codegen.program_data import Result, Routine, ScalarVariable
from multibody.codegen.syntax import one_line
from multibody.codegen.targets.modelica.flange import Flange
from multibody.codegen.targets.modelica.start import starting
from multibody.codegen.targets.modelica.syntax import SYNTAX, string, table_function
from multibody.codegen.targets.modelica.units import modelica_unit
from multibody.graph.names import escape


class TextOptions(Protocol):
    """What the user has chosen; see ``Modelica``."""

    @property
    def flanges(self) -> tuple[Flange, ...]:
        """Connectors in the place of inputs."""

    @property
    def partial(self) -> bool:
        """Whether inputs are left without equations."""

    @property
    def stabilization(self) -> float:
        """Rate at which drift decays, in 1/s."""

    @property
    def names(self) -> str:
        """Names of intermediates: readable or short."""


class ModelText:
    """The text of one model, while it is put together.

    Args:
        options: what the user has chosen.
        program: what is written.
        name: of the model, as Modelica spells it.
    """

    def __init__(self, options: TextOptions, program: Program, name: str) -> None:
        self.options, self.program, self.name = options, program, name
        self.drifts = options.stabilization > 0 and program.has("projection")
        self.start = starting(program)
        own = [name, *(["stabilization"] if self.drifts else [])]
        self.flanges = spelled([flange.name for flange in options.flanges], own)
        own += self.flanges
        self.outputs = spelled([output.name for output in program.outputs], own)
        own += self.outputs
        self.multipliers = spelled([multiplier.name for multiplier in program.multipliers], own)
        own += self.multipliers
        self.gaps = spelled(self.start.gaps.labels, own)
        routine = _everything(program, self.drifts, self.start.gaps)
        self.code = program.code([routine], SYNTAX, taken=[*own, *self.gaps], names=options.names)
        self.statements, self.results = _taken_apart(self.code)
        self._named_by_outputs()

    def _named_by_outputs(self) -> None:
        """What is computed under a name like that of an output, with a number because that is in use, is the output."""
        known = {name for name, _ in self.statements}
        new: dict[str, str] = {}
        for key, name in self._shown():
            text = self.results[key]
            if text in known and text not in new and re.fullmatch(rf"{re.escape(name)}_\d+", text):
                new[text] = name
                del self.results[key]

        def renamed(text: str) -> str:
            return _IDENTIFIER.sub(lambda match: new.get(match[0], match[0]), text)

        self.statements = [(new.get(name, name), renamed(text)) for name, text in self.statements]
        self.results = {key: renamed(text) for key, text in self.results.items()}

    def _shown(self) -> Iterator[tuple[tuple[str, int], str]]:
        """Outputs, multipliers and gaps: their places in the results, and their names."""
        for result in ("outputs", "multipliers", "gaps"):
            yield from (((result, k), name) for k, name in enumerate(getattr(self, result)))

    def text(self) -> str:
        """The whole model."""
        kind = "partial model" if self.options.partial else "model"
        inner = self._inner()
        blocks = [
            f"{kind} {self.name} {string(f'{self.program.name}: equations of motion, by multibody')}",
            *self._declarations(),
            *(["protected", *inner] if inner else []),
            *self._initial(),
            "equation",
            *(f"  {line}" for line in self._equations()),
            f"  annotation(Documentation(info={string(self._documentation())}));",
            f"end {self.name};",
        ]
        return "\n".join(blocks) + "\n"

    def _documentation(self) -> str:
        flanges = dict(zip(self.flanges, self.options.flanges, strict=True))
        driven = {flange.force for flange in self.options.flanges}
        inputs = [self.code.names[quantity.symbol] for quantity in self.program.inputs if quantity.name not in driven]
        return documentation(self.program, self.name, inputs, flanges, partial=self.options.partial)

    def _declarations(self) -> Iterator[str]:
        program, names = self.program, self.code.names
        yield from section("parameters", [
            *(declared("parameter Real", names[p.symbol], p, value=self._value(p)) for p in program.parameters),
            *([_STABILIZATION.format(self.options.stabilization)] if self.drifts else []),
        ])  # fmt: skip
        driven = {flange.force for flange in self.options.flanges}
        free = [self.options.partial or quantity.name in driven for quantity in program.inputs]
        yield from section("inputs", [
            declared("Real" if plain else "input Real", names[quantity.symbol], quantity, start=quantity.value)
            for quantity, plain in zip(program.inputs, free, strict=True)
        ])  # fmt: skip
        yield from section("flanges", [
            flange.declaration(name) for flange, name in zip(self.options.flanges, self.flanges, strict=True)
        ])  # fmt: skip
        yield from section("states", [
            declared("Real", names[s.symbol], s, self._state(s), start=s.value) for s in program.states
        ])  # fmt: skip
        yield from section("outputs", [
            declared("output Real", name, output) for name, output in zip(self.outputs, program.outputs, strict=True)
        ])  # fmt: skip
        yield from section("constraint forces", [
            declared("Real", name, force) for name, force in zip(self.multipliers, program.multipliers, strict=True)
        ])  # fmt: skip
        yield from section("what the constraints lack", [f"Real {name};" for name in self.gaps])

    def _value(self, one: ScalarVariable) -> str:
        """The default of a parameter: a number, or a formula of others; empty if it must be given."""
        formula = next((each.text for each in self.code.formulas if each.quantity.symbol is one.symbol), "")
        return formula or ("" if one.is_open else repr(one.value))

    def _state(self, one: ScalarVariable) -> list[str]:
        fixed = "false" if one.symbol in self.start.free else "true"
        return [f"fixed={fixed}", "stateSelect=StateSelect.prefer"]

    def _initial(self) -> list[str]:
        """What determines the start values that are not fixed; what they cannot bring about is demanded."""
        lines = []
        for label, name in zip(self.start.gaps.labels, self.gaps, strict=True):
            lines.append(f"{name} = 0;" if label in self.start.solved else _DEMAND.format(name=name))
        for quaternion in self.start.turned:
            squares = " + ".join(f"{self.code.names[part]}^2" for part in quaternion)
            lines.append(f"{squares} = 1;")
        return ["initial equation", *(f"  {line}" for line in lines)] if lines else []

    def _inner(self) -> list[str]:
        """What is hidden from users: functions, numbers that follow from parameters, intermediates."""
        shown = {name for _, name in self._shown()}
        prepared = [item for part in self.code.prepare.parts for item in part.items if item.node is not None]
        rules = [item for formula in self.code.formulas for item in formula.part.items]
        return [
            *(table_function(table, name) for name, table in self.code.tables.items()),
            *(f"  final parameter Real {item.name} = {item.text};" for item in rules),
            *(f"  final parameter Real {item.name} = {item.text};" for item in prepared),
            *(f"  Real {name};" for name, _ in self.statements if name not in shown),
        ]

    def _equations(self) -> Iterator[str]:
        yield from (f"{name} = {text};" for name, text in self.statements)
        yield "// the rates of all states"
        pairs = [("q_dot", "q_new", self.program.coordinates), ("u_dot", "u_new", self.program.speeds)]
        for rates, corrected, quantities in pairs:
            for k, quantity in enumerate(quantities):
                name = self.code.names[quantity.symbol]
                pull = self._pull(name, self.results.get((corrected, k), name))
                yield f"der({name}) = {self.results[rates, k]}{pull};"
        left = [f"{name} = {self.results[key]};" for key, name in self._shown() if key in self.results]
        yield from ["// outputs", *left] if left else []
        yield from self._connections()

    def _pull(self, name: str, corrected: str) -> str:
        """What brings a state back to where the constraints are kept."""
        return "" if corrected == name else f" + stabilization*({corrected} - {name})"

    def _connections(self) -> Iterator[str]:
        """What the variables of the connectors are."""
        names = {
            quantity.name: self.code.names[quantity.symbol]
            for quantity in (*self.program.inputs, *self.program.coordinates)
        }
        names |= {output.name: name for output, name in zip(self.program.outputs, self.outputs, strict=True)}
        for flange, name in zip(self.options.flanges, self.flanges, strict=True):
            yield from flange.equations(self.program, name, names)


_DEMAND = 'assert(abs({name}) < 1e-6, "The start values do not keep the constraints: {name} is not zero.");'
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_STABILIZATION = 'parameter Real stabilization(unit="1/s", min=0) = {!r} "rate at which errors of constraints vanish";'


def _everything(program: Program, drifts: bool, gaps: Result) -> Routine:
    """All that becomes equations, as one routine, so that nothing is computed twice.

    Results are no names in Modelica: theirs get a sign that makes them different from all identifiers.
    """
    wanted = ["state_rate", *(["projection"] if drifts else []), "multipliers", "sensors"]
    results = [*(result for routine in wanted for result in program.routine(routine).results), gaps]
    return Routine("(equations)", "", tuple(replace(result, name=f"({result.name})") for result in results))


def _taken_apart(code: Code) -> tuple[list[tuple[str, str]], dict[tuple[str, int], str]]:
    """Named intermediates in order, and the text of each entry of each result."""
    items = [item for body in code.bodies for part in body.parts for item in part.items]
    results = {(item.name[1:-1], item.position): item.text for item in items if item.node is None}
    return [(item.name, item.text) for item in items if item.node is not None], results


def spelled(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Names that Modelica allows, all different from each other and from those taken."""
    used, found = set(taken), []
    for name in names:
        new = escape(name, "modelica")
        while new in used:
            new += "_"
        used.add(new)
        found.append(new)
    return found


def section(title: str, lines: Sequence[str]) -> list[str]:
    """Declarations below a title; nothing if there are none."""
    return [f"  // {title}", *(f"  {line}" for line in lines)] if lines else []


def declared(
    kind: str, name: str, one: ScalarVariable, more: Sequence[str] = (), *, start: float | None = None,
    value: str = "",
) -> str:  # fmt: skip
    """A variable with its unit, its start value or its value, and what it means."""
    unit = modelica_unit(one.unit)
    attributes = [f'unit="{unit}"'] if unit else []
    ends = zip(("min", "max"), one.limits or (), strict=False)
    attributes += [f"{end}={limit!r}" for end, limit in ends if isfinite(limit)]
    attributes += [*([] if start is None else [f"start={start!r}"]), *more]
    text = f"{kind} {name}" + (f"({', '.join(attributes)})" if attributes else "")
    text += f" = {value}" if value else ""
    meaning = one.description if unit or one.limits else one.meaning
    meaning = meaning if name == one.name else f"{one.name} {meaning}".strip()
    return f"{text} {string(meaning)};" if meaning else f"{text};"


def documentation(
    program: Program, name: str, inputs: Sequence[str], flanges: Mapping[str, Flange], *, partial: bool
) -> str:
    """HTML that says what the model is, and how others are connected with it.

    Args:
        program: what is written.
        name: of the model, as Modelica spells it.
        inputs: the names of the inputs that must be given, likewise.
        flanges: connectors by their names, likewise.
        partial: whether a model that extends this one says what its inputs are.
    """
    title = html.escape(one_line(program.name), quote=True)
    parts = [f"<p>Equations of motion of {title}, generated by multibody. SI units and radians.</p>"]
    if flanges:
        rows = (f"<li><code>{own}</code>: {html.escape(flange.words())}</li>" for own, flange in flanges.items())
        parts.append(f"<p>Mechanical connectors:</p><ul>{''.join(rows)}</ul>")
    if inputs:
        parts.append((_EXTENDED if partial else _MODIFIED).format(name=name, input=inputs[0]))
    return f"<html>{''.join(parts)}</html>"


_MODIFIED = "<p>Inputs are given where the model is used: <code>{name} system({input} = sin(time));</code></p>"
_EXTENDED = (
    "<p>A model that extends this one gives the inputs: <code>extends {name}; equation {input} = sin(time);</code></p>"
)
