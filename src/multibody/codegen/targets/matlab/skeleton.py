"""What the animation in MATLAB and Octave shows; for models without drawings, bodies as lines.

The lines lead from centers of mass to joints, with the axes of the joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from multibody.codegen.program import Program
from multibody.codegen.program_data import Routine
from multibody.codegen.syntax import one_line
from multibody.model import Body, Frame, Model
from multibody.model.membership import joint_frames


def skeleton(program: Program) -> Figure:
    """All bodies of a model; the world is drawn if something is fixed to it."""
    model, kinetics = program.eom.model, program.eom.kinetics
    points: list[list[Any]] = []
    triads: list[list[Any]] = []
    paths: list[str] = []
    for body in (model.world, *model.bodies):
        pose = kinetics.pose(body)
        centre = pose.point_to_parent(body.com)
        ends = [kinetics.pose(frame).position for frame in _frames(model, body)]
        first = len(points) + 1
        points += [list(point) for point in (centre, *ends)]
        triads += [list(axis) for axis in zip(*pose.rotation.to_matrix().rows, strict=True)]
        path = [k for end in range(first + 1, first + 1 + len(ends)) for k in (first, end)] or [first]
        paths.append(f"    {path} % {one_line('world' if body is model.world else body.name)}")
    return Figure(
        routine=program.own_routine("visual", {"points": points, "triads": triads}, "what is drawn"),
        dimensions={"points": f"3, {len(points)}", "triads": f"3, {len(triads)}"},
        returned="the lines: bodies, then x, y and z axes",
        table=["paths = {", *paths, "};"],
        collect="[points(:, :, k), triads(:, :, k)] = scene(T(k), Y(k, :), p, c);",
        measure=_MEASURE,
        direction="directions(find([high - low < 1e-6*extent; true], 1), :)",
        make=_MAKE,
        show="show(h, paths, points(:, :, k), triads(:, :, k));",
        functions=[_SHOW],
    )


def _frames(model: Model, body: Body) -> list[Frame]:
    """Where joints, constraints and loads act on a body, each place once."""
    return list({tuple(frame.pose.position): frame for frame in joint_frames(model, body)}.values())


_MEASURE = """low = min(min(points, [], 3), [], 2);
high = max(max(points, [], 3), [], 2);
extent = max([high - low; 1e-3]);
triads = 0.1*extent*triads;
directions = [90, 0; 0, 0; 0, 90; 30, 20]; % planar motion is looked at from the front"""

_MAKE = """colours = [0.4, 0.4, 0.4; lines(numel(paths) - 1)];
for k = numel(paths):-1:1
    h(k) = line(0, 0, 0, 'Color', colours(k, :), 'LineWidth', 2, 'Marker', '.', 'MarkerSize', 15);
end
axis_colours = eye(3);
for k = 1:3
    h(numel(paths) + k) = line(0, 0, 0, 'Color', axis_colours(k, :));
end"""

_SHOW = """function show(h, paths, points, triads)
    for k = 1:numel(paths)
        place = points(:, paths{k});
        set(h(k), 'XData', place(1, :), 'YData', place(2, :), 'ZData', place(3, :));
    end
    first = points(:, cellfun(@(path) path(1), paths));
    gap = NaN(size(first));
    for k = 1:3
        place = reshape([first; first + triads(:, k:3:end); gap], 3, []);
        set(h(numel(paths) + k), 'XData', place(1, :), 'YData', place(2, :), 'ZData', place(3, :));
    end
end"""


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
