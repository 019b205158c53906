"""What the user has drawn, in MATLAB and Octave: each drawing is a patch, whose vertices are moved.

The generated routine computes where drawings are and how large they are; a drawing that is laid from one frame to
another has its two ends in the place of a pose.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from multibody.algebra import Transform
from multibody.codegen.program import Program
from multibody.codegen.targets.matlab.language import numbers, text
from multibody.codegen.targets.matlab.shapes import called
from multibody.codegen.targets.matlab.skeleton import Figure
from multibody.graph import ZERO
from multibody.model import Arrow, Axes, Coil, Drawing, Line, Mesh, Model, Plane, Shape

LENGTHS = 3
"""So many sizes has a shape at most."""


def can_be_drawn(model: Model) -> bool:
    """Whether there are drawings, and not only meshes that would be boxes."""
    return any(not isinstance(drawing.shape, Mesh) or _is_stl(drawing.shape) for drawing in model.drawings.values())


def drawn(program: Program) -> Figure:
    """All drawings of a model."""
    model = program.eom.model
    every = model.drawings
    poses = [_pose(drawing, program.eom.kinetics.pose(drawing.frame), program) for drawing in every.values()]
    sizes = [[*drawing.shape.sizes.values(), *[ZERO] * LENGTHS][:LENGTHS] for drawing in every.values()]
    rows = [f"    {_row(name, drawing, model)}" for name, drawing in every.items()]
    floors = _numbers_of(Plane, every.values())
    beyond = floors if len(floors) < len(every) else []
    return Figure(
        routine=program.own_routine("visual", {"poses": poses, "sizes": sizes}, "what is drawn"),
        dimensions={"poses": f"3, 4, {len(every)}", "sizes": f"{LENGTHS}, {len(every)}"},
        returned="the patches, one for each drawing, with its name as 'Tag'",
        table=[
            f"colours = [0.4, 0.4, 0.4; lines({len(model.bodies) + 1})];",
            "shapes = {",
            *rows,
            "};",
            f"seen = setdiff(1:{len(every)}, {beyond}); % as a whole: floors may be larger than the picture",
        ],
        collect="[poses(:, :, :, k), sizes] = scene(T(k), Y(k, :), p, c);",
        measure="\n".join([*_placeholders(every.values()), _MEASURE]),
        direction="30, 20",
        make=_MAKE,
        show="show(h, shapes, forms, poses(:, :, :, k), sizes);",
        functions=[_SHOW, _CORNERS, _LOOK, _LAID, *called("\n".join(rows))],
    )


def _pose(one: Drawing, frame: Transform, program: Program) -> list[Any]:
    """Origin and axes in the world's coordinates; of a drawing between two frames, its ends."""
    pose = frame @ one.pose
    if one.to is not None:
        return [*pose.position, *program.eom.kinetics.pose(one.to).position, *[ZERO] * 6]
    return [*pose.position, *(part for axis in zip(*pose.rotation.to_matrix().rows, strict=True) for part in axis)]


def _row(name: str, one: Drawing, model: Model) -> str:
    """A row of the table: what makes the vertices, along which axis it is stretched, colour, opacity, name."""
    along = 0 if one.to is None else 1 if isinstance(one.shape, Line | Arrow) else 3
    colour, opacity = _colour(one, model)
    remark = ""
    if isinstance(one.shape, Mesh) and not _is_stl(one.shape):
        remark = f" % a box: of meshes, only STL files are drawn here, and not {text(one.shape.label)}"
    return f"{_maker(one)}, {along}, {colour}, {opacity!r}, {text(name)}{remark}"


def _maker(one: Drawing) -> str:
    """A function from sizes to vertices and faces."""
    shape = one.shape
    if isinstance(shape, Coil):
        return f"@(s) coil_shape(s, {shape.turns})"
    if isinstance(shape, Mesh):
        return f"@(s) stl_shape({text(_path(shape))}, {numbers(shape.scale)}, s)" if _is_stl(shape) else "@box_shape"
    return f"@{type(shape).__name__.lower()}_shape"


def _path(mesh: Mesh) -> str:
    return mesh.path.as_posix() if mesh.path else ""


def _is_stl(mesh: Mesh) -> bool:
    return mesh.path is not None and mesh.path.suffix.lower() == ".stl"


def _colour(one: Drawing, model: Model) -> tuple[str, float]:
    """As the user says; otherwise each body has its own, the world is grey, and axes are red, green and blue."""
    if one.shape.colour is not None:
        *colour, opacity = one.shape.colour
        return numbers(colour), float(opacity)
    if isinstance(one.shape, Axes):
        return "kron(eye(3), [1; 1])", 1.0
    bodies = (model.world, *model.bodies)
    return f"colours({bodies.index(one.frame.body) + 1}, :)", 1.0


def _numbers_of(kind: type[Shape], every: Iterable[Drawing]) -> list[int]:
    return [k for k, drawing in enumerate(every, 1) if isinstance(drawing.shape, kind)]


def _placeholders(every: Iterable[Drawing]) -> list[str]:
    meshes = _numbers_of(Mesh, every)
    return [_PLACEHOLDERS.format(meshes=meshes)] if meshes else []


_PLACEHOLDERS = """places = reshape(poses(:, 1, :), 3, []);
sizes(:, {meshes}) = max([0.06*(max(places, [], 2) - min(places, [], 2)); 1e-2]); % boxes in the place of files"""

_MEASURE = """for k = size(shapes, 1):-1:1
    [forms{k}, faces{k}] = shapes{k, 1}(sizes(:, k));
end
low = Inf(3, 1);
high = -low;
for n = seen
    for k = 1:numel(T)
        V = corners(shapes(n, :), forms{n}, poses(:, :, n, k), sizes(:, n));
        low = min(low, min(V, [], 1).');
        high = max(high, max(V, [], 1).');
    end
end
extent = max([high - low; 1e-3]);"""

_MAKE = """light('Position', [1, -2, 3]);
for k = numel(forms):-1:1
    style = look(shapes{k, 3}, shapes{k, 4}, faces{k});
    h(k) = patch('Vertices', forms{k}.', 'Faces', faces{k}, 'Tag', shapes{k, 5}, style{:});
end"""

_SHOW = """function show(h, shapes, forms, poses, sizes)
    for k = 1:numel(h)
        set(h(k), 'Vertices', corners(shapes(k, :), forms{k}, poses(:, :, k), sizes(:, k)));
    end
end"""

_CORNERS = """function V = corners(shape, form, pose, s)
% Vertices in the world, row by row; the columns of a pose are the origin and the axes.
    if shape{2} > 0
        [pose, s] = laid(pose(:, 1), pose(:, 2), s, shape{2});
        form = shape{1}(s);
    end
    V = (pose(:, ones(1, size(form, 2))) + pose(:, 2:4)*form).';
end"""

_LOOK = """function style = look(colour, opacity, faces)
% Lines are faces without area, from one vertex to another and back.
    if any(faces(:, 1) ~= faces(:, 3))
        style = {'FaceColor', colour, 'FaceAlpha', opacity, 'EdgeColor', 'none', 'FaceLighting', 'flat'};
    elseif size(colour, 1) == 1
        style = {'FaceColor', 'none', 'EdgeColor', colour, 'EdgeAlpha', opacity, 'LineWidth', 2};
    else
        style = {'FaceColor', 'none', 'EdgeColor', 'flat', 'FaceVertexCData', colour, 'LineWidth', 2};
    end
end"""

_LAID = """function [pose, s] = laid(from, to, s, along)
% A pose and sizes of what lies between two points along its x axis (1), from its origin, or along z (3), about it.
    distance = norm(to - from);
    own = double((1:3).' == along);
    direction = own;
    if distance > 0
        direction = (to - from)/distance;
    end
    v = cross(own, direction);
    across = [0, -v(3), v(2); v(3), 0, -v(1); -v(2), v(1), 0];
    nearness = sum((own + direction).^2)/2; % 1 + cos(angle)
    if nearness > 1e-12
        turn = eye(3) + across + across*across/nearness; % the shortest turn
    else
        turn = diag(1 - 2*((1:3) ~= 2)); % half a turn about y
    end
    if along == 1
        s(1) = distance;
        pose = [from, turn];
    else
        s(2) = distance;
        pose = [(from + to)/2, turn];
    end
end"""
