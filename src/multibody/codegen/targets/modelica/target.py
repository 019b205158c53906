"""The target: what can be chosen, and the file that is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from multibody.codegen.contract import Names, Target, check_options
from multibody.codegen.naming import file_name
from multibody.codegen.program import Program
from multibody.codegen.targets.modelica.flange import Flange
from multibody.codegen.targets.modelica.text import ModelText
from multibody.errors import ConversionError


@dataclass(frozen=True)
class Modelica(Target):
    r"""A model ``<name>.mo`` that needs no library: ordinary differential equations, in order and without loops.

    Closed loops are written with their multipliers, solved at acceleration level, so that a tool need not reduce an
    index. What drifts is pulled back onto the constraints, and to unit quaternions, at a rate that is a parameter.
    Start values keep the constraints. With other values of parameters, initial equations close the loops: they
    determine as many states as there are constraints, first those whose start values were not given. Where the
    constraints do not determine any states, because some are redundant, assertions at the start demand values that
    keep them.

    A condition makes no event: what a load does there changes within a step of the tool, as smoothly as it is given.

    Args:
        flanges: connectors of the Modelica Standard Library, each in the place of an input; one, or several.
        partial: whether inputs are variables without an equation, for a model that extends this one and says what they
            are; otherwise they are inputs.
        stabilization: default of the rate, in 1/s, at which errors of the constraints vanish.
        names: ``"readable"`` intermediates, or ``"short"`` ones.

    Example:
        >>> import multibody as mb
        >>> from multibody.codegen import Program
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> length = pendulum.parameter("l", 1.0, unit="m")
        >>> bob = pendulum.body("bob", 2, (0, 0, -length))
        >>> hinge = pendulum.joint("angle", pendulum.world, bob, "Ry", q=0.3)
        >>> text = Modelica().files(Program.of(mb.derive(pendulum)))["pendulum.mo"]
        >>> print(text[text.index("equation\n") : text.index("  annotation")].rstrip())
        equation
          sin_angle = sin(angle);
          L_bob_y = 9.81*sin_angle*c1;
          // the rates of all states
          der(angle) = angle_dot;
          der(angle_dot) = -c2*L_bob_y;
    """

    flanges: tuple[Flange, ...] = ()
    partial: bool = False
    stabilization: float = 10.0
    names: Names = "readable"

    def __post_init__(self) -> None:
        check_options(self, "partial", "stabilization", "names")
        given: tuple[object, ...] = tuple([self.flanges] if isinstance(self.flanges, Flange | str) else self.flanges)
        wrong = [item for item in given if not isinstance(item, Flange)]
        if wrong:
            raise ConversionError(
                f"{wrong[0]!r:.80} is not a flange.",
                where="Modelica(flanges=…)",
                remedy='Write Flange("name", force="input", along="coordinate or output").',
                code="flange-expected",
                value=f"{wrong[0]!r:.80}",
            )
        object.__setattr__(self, "flanges", given)
        forces = [flange.force for flange in self.flanges]
        if len(set(forces)) < len(forces):
            raise ConversionError(
                "Two flanges have the same force.",
                where=f"flanges {', '.join(flange.name for flange in self.flanges)}",
                remedy="Give each flange an input of its own.",
                code="flange-force-repeated",
                names=tuple(flange.name for flange in self.flanges),
            )

    def files(self, program: Program) -> Mapping[str, str]:
        """One model."""
        name = file_name(program.name, "modelica")
        return {f"{name}.mo": ModelText(self, program, name).text()}
