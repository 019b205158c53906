"""The animation in MATLAB and Octave: bodies as lines from their centres of mass to their joints, with their axes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from multibody.export.code import Code
from multibody.export.matlab.language import file, function, help_text, opening, statements, text
from multibody.export.program import Program
from multibody.export.quantities import Routine
from multibody.export.syntax import one_line
from multibody.model import Body, Frame, Model


@dataclass(frozen=True)
class Figure:
    """What is drawn.

    Attributes:
        routine: computes ``points`` (three numbers each) and ``triads`` (the three axes of each body).
        paths: for each body the numbers of the points that its line goes through; the first is its centre of mass.
        names: of the bodies.
    """

    routine: Routine
    paths: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]


def figure(program: Program) -> Figure:
    """All bodies of a model; the world is drawn if something is fixed to it."""
    model, kinetics = program.eom.model, program.eom.kinetics
    points: list[list[Any]] = []
    triads: list[list[Any]] = []
    paths: list[tuple[int, ...]] = []
    for body in (model.world, *model.bodies):
        pose = kinetics.pose(body)
        centre = pose.point_to_parent(body.com)
        ends = [kinetics.pose(frame).position for frame in _frames(model, body)]
        first = len(points) + 1
        points += [list(point) for point in (centre, *ends)]
        triads += [list(axis) for axis in zip(*pose.rotation.to_matrix().rows, strict=True)]
        paths.append(tuple(k for end in range(first + 1, first + 1 + len(ends)) for k in (first, end)) or (first,))
    routine = program.own_routine("visual", {"points": points, "triads": triads}, "what is drawn")
    return Figure(routine, tuple(paths), ("world", *(body.name for body in model.bodies)))


def _frames(model: Model, body: Body) -> list[Frame]:
    """Where joints, constraints and loads act on a body, each place once."""
    whole = model.unreduced or model
    found = [frame for frame in _touched(whole) if frame.body is body]
    return list({tuple(frame.pose.position): frame for frame in found}.values())


def _touched(model: Model) -> Iterator[Frame]:
    for joint in (*model.joints, *model.cuts):
        yield from (joint.parent, joint.child)
    for part in (*model.constraints.values(), *model.loads.values()):
        yield from (frame for frame in part.touches if isinstance(frame, Frame))


def visual(program: Program, code: Code, name: str, drawn: Figure) -> str:
    """The file ``<name>_visual.m``."""
    own = f"{name}_visual"
    remark = [
        *help_text(program, own, "Animation of what a solver has returned."),
        f"   {own}(T, Y) shows the motion as fast as it is; T are times, Y states, row by row.",
        f"   {own}(T, Y, fak) shows it fak times slower; with fak = 0, every picture is drawn, without a pause.",
        f"   h = {own}(T, Y, fak, p), with parameters p, returns the lines: bodies, then x, y and z axes.",
    ]
    paths = [f"    {list(path)} % {one_line(body)}" for path, body in zip(drawn.paths, drawn.names, strict=True)]
    lines = [*_HEAD.format(name=name).splitlines(), "paths = {", *paths, "};"]
    lines += _DRAW.format(title=text(name)).splitlines()
    return file(code, function(f"h = {own}(T, Y, fak, p)", lines, remark), _SHOW, *_scene(program, code, name, drawn))


def _scene(program: Program, code: Code, name: str, drawn: Figure) -> list[str]:
    """The function that computes one picture: points, and axes of bodies, as columns."""
    lines, pieces = statements(code["visual"], f"{name}_scene")
    last = [f"{x.name} = reshape({x.name}, 3, {x.size // 3});" for x in drawn.routine.results]
    return [function("[points, triads] = scene(t, y, p, c)", [*opening(program, name), *lines, *last]), *pieces]


_HEAD = """if nargin < 3 || isempty(fak)
    fak = 1;
end
if nargin < 4 || isempty(p)
    p = struct();
end
[p, c] = {name}_parameters(p);"""

_DRAW = """for k = numel(T):-1:1
    [points(:, :, k), triads(:, :, k)] = scene(T(k), Y(k, :), p, c);
end
low = min(min(points, [], 3), [], 2);
high = max(max(points, [], 3), [], 2);
extent = max([high - low; 1e-3]);
triads = 0.1*extent*triads;

figure();
limits = (low + high)/2*[1, 1] + 0.6*extent*[-1, 1]; % the same range for all axes
axes('PlotBoxAspectRatio', [1, 1, 1], 'XLim', limits(1, :), 'YLim', limits(2, :), 'ZLim', limits(3, :));
directions = [90, 0; 0, 0; 0, 90; 30, 20];
view(directions(find([high - low < 1e-6*extent; true], 1), :)); % planar motion is looked at from the front
grid('on');
xlabel('x');
ylabel('y');
zlabel('z');
colours = [0.4, 0.4, 0.4; lines(numel(paths) - 1)];
for k = numel(paths):-1:1
    h(k) = line(0, 0, 0, 'Color', colours(k, :), 'LineWidth', 2, 'Marker', '.', 'MarkerSize', 15);
end
axis_colours = eye(3);
for k = 1:3
    h(numel(paths) + k) = line(0, 0, 0, 'Color', axis_colours(k, :));
end

started = tic();
k = 1;
while true
    show(h, paths, points(:, :, k), triads(:, :, k));
    title(sprintf('%s   t = %.2f s', {title}, T(k)), 'Interpreter', 'none');
    drawnow();
    if k == numel(T)
        break
    elseif fak == 0
        k = k + 1;
    else
        while fak*(T(k + 1) - T(1)) > toc(started)
            pause(0.002);
        end
        k = find(fak*(T - T(1)) <= toc(started), 1, 'last');
    end
end
if nargout == 0
    clear h
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
