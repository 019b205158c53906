"""What the animation in MATLAB and Octave shows, whatever it is made of."""

from __future__ import annotations

from dataclasses import dataclass

from multibody.codegen.quantities import Routine


@dataclass(frozen=True)
class Figure:
    """What is drawn, as pieces of a function that all animations have in common.

    Attributes:
        routine: computes one picture; its results have columns of three numbers.
        dimensions: of each result, such as ``"3, 4, 2"``, by its name.
        returned: what the function returns, for its help.
        table: statements that say what there is to draw.
        collect: the statement that keeps the picture at time number ``k``.
        measure: statements that find the corners ``low`` and ``high`` of the space that is needed, and its ``extent``.
        direction: the view, as arguments.
        make: statements that draw ``h``.
        show: the statement that brings ``h`` to time number ``k``.
        functions: that these statements call.
    """

    routine: Routine
    dimensions: dict[str, str]
    returned: str
    table: list[str]
    collect: str
    measure: str
    direction: str
    make: str
    show: str
    functions: list[str]
