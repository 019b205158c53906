"""The builder: what the user writes. Each method makes one small object and returns it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import count
from typing import Any, TypeVar

import numpy as np

from multibody.algebra import Symmetric3, Vec3
from multibody.errors import ModelError
from multibody.graph import ZERO, Symbol, as_expr, free_symbols, names, symbol
from multibody.model.body import Body, Frame, as_inertia
from multibody.model.constraints import Constraint, ExpressionConstraint, as_constraint
from multibody.model.display import parts_html
from multibody.model.error_context import concerning
from multibody.model.freeze.freezing import frozen
from multibody.model.freeze.unknown_symbols import no_value
from multibody.model.given import remembered
from multibody.model.joint import Joint, joint
from multibody.model.loads import Load
from multibody.model.loops import ExplicitLoop
from multibody.model.membership import require_part
from multibody.model.model import Model
from multibody.model.quantity import (
    Input,
    Parameter,
    as_shape,
    finite_value,
    input_limits,
    parameter,
    shaped_symbols,
    slider_range,
    with_symmetric_parameters,
)
from multibody.model.report import Report
from multibody.model.sensors import Expression, Sensor
from multibody.model.sensors.contract import signal
from multibody.model.shapes.drawing import Drawing, drawing

Named = TypeVar("Named")


class System:
    """A mechanical system in the making.

    Args:
        name: an identifier; it also keeps the symbols of different systems apart.
        gravity: the acceleration of free fall in the world's axes; numbers or expressions of parameters.
        recognise_loops: whether loops of a known shape are solved in closed form, where that is safe.
        description: what it is, for readers; it is written to model files.

    Example:
        >>> crane = System("crane", gravity=(0, 0, -9.81))
        >>> m1, m2, l = crane.parameters(m1=10.0, m2=1.0, l=1.0)
        >>> crab = crane.body("crab", mass=m1)
        >>> load = crane.body("load", mass=m2)
        >>> slide = crane.joint("slide", crane.world, crab, "Tx")
        >>> swing = crane.joint("swing", crab, load.frame("hook", (0, 0, l)), "Ry", q=-1.0)
        >>> crane.freeze().coordinates
        (slide, swing)
    """

    def __init__(
        self, name: str, gravity: Any = (0, 0, -9.81), *, recognise_loops: bool = True, description: str = ""
    ) -> None:
        self.name = names.check(name, "system")
        self.recognise_loops = recognise_loops
        self.description = description
        self.time: Symbol = symbol("t", "time", name)
        self.loads: dict[str, Any] = {}
        self.sensors: dict[str, Any] = {}
        self.constraints: dict[str, Any] = {}
        self.loops: dict[str, Any] = {}
        self.drawings: dict[str, Drawing] = {}
        self.starts: dict[str, float] = {}
        self._things: dict[str, Any] = {"t": self.time}
        self._quantities: dict[Symbol, str] = {}
        nothing = Vec3(ZERO, ZERO, ZERO)
        self.world: Body = self._register(Body(self, "world", ZERO, nothing, Symmetric3.zero().symbolic()))
        self.gravity = gravity

    @property
    def gravity(self) -> Vec3:
        """The acceleration of free fall in the world's axes."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity = Vec3.from_any(value, what="gravity").symbolic()

    # quantities --------------------------------------------------------------------------------------------------

    def parameter(self, name: str, default: Any = None, *, unit: str = "", description: str = "") -> Any:
        """A parameter: its symbol, or an array of symbols if the default is an array.

        Args:
            name: an identifier.
            default: a number, an array, or a formula of other parameters; None if it must be given later. The elements
                of an array are called ``name_1``, ``name_2`` … or ``name_1_1`` ….
            unit: SI unit, as text.
            description: what it is.
        """
        return self._quantity(parameter(names.check(name, "parameter"), default, self.name, unit, description))

    def parameters(self, **defaults: Any) -> list[Any]:
        """Several parameters with their defaults, in the order of writing."""
        return [self.parameter(name, default) for name, default in defaults.items()]

    def input(
        self, name: str, shape: int | tuple[int, ...] = (), *, unit: str = "", description: str = "",
        limits: Any = None, slider: tuple[float, float] | None = None,
    ) -> Any:  # fmt: skip
        """An input: its symbol, or an array of symbols of the given shape, named ``F_1``, ``F_2`` … or ``F_1_1`` ….

        Args:
            name: an identifier.
            shape: how many, or rows and columns; one symbol without it.
            unit: SI unit, as text.
            description: what it is.
            limits: (low, high), between which every run holds it, whatever it follows; None for an end without limit.
                ``run.saturations`` lists when a run did so. All elements of an array have the same limits.
            slider: (low, high) of its slider in the viewer, which limits nothing; by default the limits, or -1 to 1.

        Raises:
            ModelError: if limits or slider are not a range.
        """
        where = f"input '{names.check(name, 'input')}'"
        symbols = shaped_symbols(name, "input", self.name, as_shape(shape, where))
        ranges = input_limits(limits, where), slider_range(slider, where)
        return self._quantity(Input(name, symbols, unit, description, *ranges))

    # parts -------------------------------------------------------------------------------------------------------

    @remembered
    def body(
        self, name: str, mass: Any = 0, com: Any = (0, 0, 0), inertia: Any = (0, 0, 0), *, about: Any = "com"
    ) -> Body:
        """A rigid body.

        Args:
            name: an identifier.
            mass: in kg.
            com: centre of mass in the body's frame.
            inertia: 3×3 matrix, six numbers (xx, xy, yy, xz, yz, zz) or three principal values, in the body's axes. Of
                a matrix parameter with a symmetric default, the entries on and above the diagonal are used; runs with
                other values require that it stays symmetric.
            about: the point that ``inertia`` refers to: ``"com"``, ``"origin"``, or coordinates in the body's frame.
        """
        with concerning(f"body '{name}'"):
            centre, m = Vec3.from_any(com, what="centre of mass").symbolic(), as_expr(mass)
            tensor, twins = with_symmetric_parameters(inertia, self.all(Parameter))
            return self._register(Body(self, name, m, centre, as_inertia(tensor, m, centre, about, name), twins))

    def particle(self, name: str, mass: Any) -> Body:
        """A point mass: a body without extension."""
        return self.body(name, mass)

    def frame(self, name: str, position: Any = (0, 0, 0), rotation: Any = None) -> Frame:
        """A frame fixed to the world; frames on bodies come from ``body.frame``."""
        return self.world.frame(name, position, rotation)

    def joint(
        self, name: str, parent: Frame, child: Frame, kind: Any, q: Any = None, u: Any = None, *,
        limits: Any = None, prescribed: Any = None, cut: bool | None = None, guess: Any = None,
    ) -> Joint:  # fmt: skip
        """A joint from one frame to another.

        Args:
            name: an identifier; the coordinate of a joint with one degree of freedom has the same name.
            parent: the frame to start from: a body, a frame on a body, or ``system.world``.
            child: the frame that moves.
            kind: a string such as ``"Tx"``, a list such as ``["Tx", "Ry"]``, or an object such as ``Revolute("z")``.
            q: start values of the coordinates. Where constraints tie them to others, those that are not given follow;
                if too many are given for that, all of them move as little as possible, and a run warns.
            u: start values of the speeds, likewise.
            limits: a range (low, high), or one for each coordinate.
            prescribed: the coordinates as expressions of time and inputs, for a motion that is given.
            cut: True to close a loop with this joint, by equations between its frames; False to keep its coordinates;
                by default the joint to cut is chosen, preferably one with many degrees of freedom and without loads.
            guess: instead of q, values from which the coordinates are found that constraints determine; they select one
                of several ways to assemble the mechanism, and may change without a warning.
        """
        self._require_own(name, parent, child)
        with concerning(f"joint '{name}'"):
            return self._register(joint(name, parent, child, kind, q, u, limits, prescribed, self.name, cut, guess))

    def constraint(
        self, first: Any, second: Frame | None = None, *, translation: str = "", rotation: str = "",
        name: str | None = None,
    ) -> Constraint:  # fmt: skip
        """Something that restricts the motion beyond the joints.

        Args:
            first: a constraint such as ``RollingDisc(…)``; an expression of coordinates, speeds and time that stays
                zero; or a frame, to which the second one is held.
            second: the frame that is held.
            translation: directions of the first frame in which the origins stay together, such as ``"xyz"``.
            rotation: axes about which the frames cannot turn against each other, such as ``"xy"`` for a hinge about z.
            name: without it, it is called ``constraint_1``, ``constraint_2`` ….

        Example:
            >>> gears = System("gears")
            >>> a, b = (
            ...     gears.joint(n, gears.world, gears.body(n + "_wheel", 1, (0, 0, 0), (1, 1, 1)), "Rz") for n in "ab"
            ... )
            >>> mesh = gears.constraint(a.coordinate + 2 * b.coordinate, name="mesh")
        """
        made = as_constraint(first, second, translation, rotation)
        label = "constraint" if name is None else f"constraint '{name}'"
        require_part(self, made, Constraint, label)
        if isinstance(made, ExpressionConstraint):
            self._require_own_symbols(label, made.expressions)
        return self._named(self.constraints, made, name, "constraint")

    def loop(self, loop: ExplicitLoop, name: str | None = None) -> ExplicitLoop:
        """A loop that is solved in closed form, such as ``FourBar(a, b)``; without a name it is called ``loop_1`` …."""
        require_part(self, loop, ExplicitLoop, "loop" if name is None else f"loop '{name}'")
        return self._named(self.loops, loop, name, "loop")

    def load(self, load: Any, name: str | None = None) -> Any:
        """A load, such as ``Spring(a, b, stiffness=k)``; without a name it is called ``load_1``, ``load_2`` …."""
        require_part(self, load, Load, "load" if name is None else f"load '{name}'")
        return self._named(self.loads, load, name, "load")

    def sensor(self, name: str, sensor: Any) -> Any:
        """Something to measure, such as ``Distance(a, b)``; its name is that of the output."""
        require_part(self, sensor, Sensor, f"sensor '{name}'")
        return self._named(self.sensors, sensor, name, "sensor")

    def measured(self, name: str) -> Any:
        """The symbol that represents a sensor's value, or an array of symbols; for loads and expressions.

        Example:
            >>> from multibody.model import Force, Velocity
            >>> crane = System("crane")
            >>> crab = crane.body("crab", mass=1)
            >>> sensor = crane.sensor("v", Velocity(crab))
            >>> brake = crane.load(Force(crab, -3 * crane.measured("v"), expressed_in=crane.world))
        """
        names.require_known_names(
            [name], self.sensors, "sensor", remedy="Add it first. There are", code="sensor-unknown",
            where=f"system '{self.name}'", name=name,
        )  # fmt: skip
        return signal(name, self.sensors[name], self.name)

    def expression(self, name: str, value: Any, unit: str = "") -> Any:
        """A named formula, which is an output too; its value is returned, for use in loads and other expressions."""
        formula = self.sensor(name, Expression(value, unit)).value
        return formula if formula.shape else formula.item()

    @remembered
    def draw(
        self, frame: Frame, shape: Any, to: Frame | None = None, *, position: Any = (0, 0, 0), rotation: Any = None,
        name: str | None = None,
    ) -> Drawing:  # fmt: skip
        """Something to look at, on a frame or from one frame to another; it has no influence on the motion.

        Args:
            frame: a body or frame that carries it.
            shape: such as ``Box(1, 0.5, 0.1)`` or ``Mesh("arm.stl")``.
            to: the frame to which a line, cylinder or coil is stretched, from the origin of the first one.
            position: where in the frame.
            rotation: how it is turned there.
            name: without it, it is called ``visual_1``, ``visual_2`` ….

        Example:
            >>> from multibody.model import Box, Coil
            >>> cart = System("cart")
            >>> body = cart.body("body", mass=1)
            >>> box = cart.draw(body, Box(0.4, 0.3, 0.2, colour="orange"))
            >>> spring = cart.draw(cart.world, Coil(0.05), to=body)
            >>> list(cart.drawings)
            ['visual_1', 'visual_2']
        """
        label = "drawing" if name is None else f"drawing '{name}'"
        for end in (frame,) if to is None else (frame, to):
            self._require_frame(label, end)
        return self._named(self.drawings, drawing(frame, shape, to, position, rotation, label), name, "visual")

    def start(self, **values: float) -> None:
        """Start values of coordinates and speeds by name, in place of those given with the joints.

        Example:
            >>> pendulum = System("pendulum")
            >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry")
            >>> pendulum.start(angle=0.3, angle_dot=1.0)
            >>> sorted(pendulum.freeze().start.values())
            [0.3, 1.0]
        """
        self.starts.update({name: finite_value(value, f"start of '{name}'") for name, value in values.items()})

    # results -----------------------------------------------------------------------------------------------------

    def freeze(self) -> Model:
        """The model as it is now; later changes of the system do not touch it."""
        return frozen(self)

    def check(self) -> Report:
        """What is wrong with the system, or looks as if it were."""
        report: Report = _public("mechanics.validation.check").check(self)
        return report

    def analyse(self) -> Any:
        """How the mechanism can move: degrees of freedom by counting and by rank, redundant equations."""
        return _public("mechanics.mobility").analyse(self.freeze())

    def to_sympy(self) -> Any:
        """The same system, built with SymPy's bodies and joints; see ``multibody.to_sympy``."""
        return _public("compat.sympy").to_sympy(self)

    def all(self, kind: type[Named]) -> Iterator[Named]:
        """Everything of one type, in the order of writing."""
        return (element for element in self._things.values() if isinstance(element, kind))

    def __getitem__(self, name: str) -> Any:
        """The body, frame, joint, parameter or input with this name."""
        where = f"system '{self.name}'"
        names.require_known_names([name], self._things, code="element-unknown", where=where, name=name)
        return self._things[name]

    def __repr__(self) -> str:
        return f"System({self.name!r})"

    def _repr_html_(self) -> str:
        bodies = [body for body in self.all(Body) if body is not self.world]
        parts = (bodies, self.all(Joint), self.all(Parameter), self.all(Input))
        return parts_html(f"system '{self.name}'", parts, (self.constraints, self.loops, self.loads, self.sensors))

    def _register(self, thing: Named) -> Named:
        name: str = names.check(thing.name, type(thing).__name__.lower())  # type: ignore[attr-defined]
        self._require_new(name)
        self._things[name] = thing
        return thing

    def _quantity(self, made: Parameter | Input) -> Any:
        """The symbols of a parameter or an input; entries of arrays have names of their own, which are unique, too."""
        symbols = np.ravel(np.array(made.symbols, dtype=object)).tolist()
        for entry in symbols:
            if entry in self._quantities:
                raise ModelError(
                    f"The name '{entry.name}' is already in use.",
                    code="name-taken",
                    where=f"system '{self.name}'",
                    cause=f"Entries of arrays are called name_1, name_2 …; it is one of '{self._quantities[entry]}'.",
                    remedy="Names are unique within a system; choose another one.",
                    name=entry.name,
                )
        self._register(made)
        self._quantities |= dict.fromkeys(symbols, made.name)
        return made.symbols

    def _require_new(self, name: str) -> None:
        owners = {
            "sensor": self.sensors, "load": self.loads, "constraint": self.constraints, "loop": self.loops,
            "drawing": self.drawings, "": self._things,
        }  # fmt: skip
        for what, register in owners.items():
            if name in register:
                owner = what or type(register[name]).__name__.lower()
                raise ModelError(
                    f"The name '{name}' is reserved for time."
                    if name == "t"
                    else f"The name '{name}' is already in use.",
                    code="name-taken",
                    where=f"system '{self.name}'",
                    cause="" if name == "t" else f"It belongs to {names.with_article(owner)}.",
                    remedy="Names are unique within a system; choose another one.",
                    name=name,
                )

    def _named(self, register: dict[str, Any], thing: Named, name: str | None, what: str) -> Named:
        label = self._free_name(what) if name is None else names.check(name, what)
        self._require_new(label)
        register[label] = thing
        return thing

    def _free_name(self, what: str) -> str:
        taken = {*self.loads, *self.sensors, *self.constraints, *self.loops, *self.drawings, *self._things}
        return next(f"{what}_{k}" for k in count(1) if f"{what}_{k}" not in taken)

    def _require_own_symbols(self, label: str, expressions: Any) -> None:
        """What is to stay zero must be known here."""
        foreign = [symbol for symbol in free_symbols(list(expressions)) if symbol.scope != self.name]
        if foreign:
            raise no_value(foreign, self.name, f"{label} of system '{self.name}'")

    def _require_frame(self, label: str, frame: Any) -> None:
        if not isinstance(frame, Frame) or frame._system is not self:
            raise ModelError(
                f"{frame!r} is not a body or frame of this system.",
                code="frame-not-in-system",
                where=f"{label} of system '{self.name}'",
                cause="It is None, a name instead of an object, or it belongs to another system.",
                remedy="Use frames that come from body(), body.frame() or system.world.",
            )

    def _require_own(self, name: str, *frames: Any) -> None:
        for frame in frames:
            self._require_frame(f"joint '{name}'", frame)
        if frames[0].body is frames[1].body:
            raise ModelError(
                f"Both ends of the joint are on the body '{frames[0].body.name}'.",
                code="frames-on-one-body",
                where=f"joint '{name}'",
                remedy="A joint connects two different bodies.",
                name=name,
            )


def _public(module: str) -> Any:
    """A module of a higher layer, for methods of ``System`` that only pass the system on to it."""
    return import_module(f"{__name__.partition('.')[0]}.{module}")
