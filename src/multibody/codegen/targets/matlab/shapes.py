"""Shapes as MATLAB functions, from sizes to vertices, column by column, and triangles; written where they are used.

All faces are triangles, since Octave with gnuplot fills no others in space.
"""

from __future__ import annotations

import re


def called(text: str) -> list[str]:
    """Definitions of the functions that a text calls, and of those that these call.

    Example:
        >>> [definition.split("(")[0] for definition in called("@cone_shape")]
        ['function [V, F] = cone_shape', 'function [V, F] = revolved', 'function F = between_rings']
    """
    found: list[str] = []
    words = re.findall(r"\w+", text)
    while words:
        name = words.pop(0)
        if name in FUNCTIONS and name not in found:
            found.append(name)
            words += re.findall(r"\w+", FUNCTIONS[name])
    return [FUNCTIONS[name] for name in found]


_BOX = """function [V, F] = box_shape(s)
    V = diag(s/2)*[
        -1, 1, 1, -1, -1, 1, 1, -1
        -1, -1, 1, 1, -1, -1, 1, 1
        -1, -1, -1, -1, 1, 1, 1, 1];
    sides = [1, 4, 3, 2; 5, 6, 7, 8; 1, 2, 6, 5; 2, 3, 7, 6; 3, 4, 8, 7; 4, 1, 5, 8];
    F = [sides(:, [1, 2, 3]); sides(:, [1, 3, 4])];
end"""

_PLANE = """function [V, F] = plane_shape(s)
    V = diag([s(1)/2, s(2)/2, 0])*[-1, 1, 1, -1; -1, -1, 1, 1; 0, 0, 0, 0];
    F = [1, 2, 3; 1, 3, 4];
end"""

_SPHERE = """function [V, F] = sphere_shape(s)
    [V, F] = ellipsoid_shape(s([1, 1, 1]));
end"""

_ELLIPSOID = """function [V, F] = ellipsoid_shape(s)
    latitude = linspace(-pi/2, pi/2, 13);
    [V, F] = revolved(cos(latitude), sin(latitude));
    V = diag(s)*V;
end"""

_CYLINDER = """function [V, F] = cylinder_shape(s)
    [V, F] = revolved(s(1)*[0, 1, 1, 0], s(2)/2*[-1, -1, 1, 1]);
end"""

_CONE = """function [V, F] = cone_shape(s)
    [V, F] = revolved(s(1)*[0, 1, 0], s(2)/2*[-1, -1, 1]);
end"""

_CAPSULE = """function [V, F] = capsule_shape(s)
    latitude = [linspace(-pi/2, 0, 7), linspace(0, pi/2, 7)];
    [V, F] = revolved(s(1)*cos(latitude), s(1)*sin(latitude) + s(2)/2*[-ones(1, 7), ones(1, 7)]);
end"""

_LINE = """function [V, F] = line_shape(s)
    V = [0, s(1); 0, 0; 0, 0];
    F = [1, 2, 1];
end"""

_ARROW = """function [V, F] = arrow_shape(s)
    V = s(1)*[0, 1, 0.85, 0.85, 0.85, 0.85; 0, 0, 0.05, -0.05, 0, 0; 0, 0, 0, 0, 0.05, -0.05];
    F = [1, 2, 1; 2, 3, 2; 2, 4, 2; 2, 5, 2; 2, 6, 2];
end"""

_AXES = """function [V, F] = axes_shape(s)
    V = s(1)*kron(eye(3), [0, 1]);
    F = [1, 2, 1; 3, 4, 3; 5, 6, 5];
end"""

_COIL = """function [V, F] = coil_shape(s, turns)
% A tube along a helix: rings of points across it; the sizes are those of helix, length and wire.
    around = 8;
    [a, b] = ndgrid(2*pi*(0:around - 1)/around, 2*pi*turns*(0:20*turns)/(20*turns));
    a = a(:).';
    b = b(:).';
    r = s(1) + s(3)*cos(a);
    V = [r.*cos(b); r.*sin(b); s(2)*(b/(2*pi*turns) - 0.5) + s(3)*sin(a)];
    F = fliplr(between_rings(around, 20*turns + 1)); % counterclockwise from outside
end"""

_REVOLVED = """function [V, F] = revolved(r, z)
% Circles about z, of the given radii at the given heights.
    around = 24;
    angle = 2*pi*(0:around - 1).'/around;
    x = cos(angle)*r;
    y = sin(angle)*r;
    z = ones(around, 1)*z;
    V = [x(:), y(:), z(:)].';
    F = between_rings(around, numel(r));
end"""

_BETWEEN = """function F = between_rings(around, rings)
    [k, below] = ndgrid(1:around, around*(0:rings - 2));
    here = k(:) + below(:);
    beside = mod(k(:), around) + 1 + below(:);
    F = [here, beside, beside + around; here, beside + around, here + around];
end"""

_STL = """function [V, F] = stl_shape(path, factors, s)
% A file below the folder of this one, or where its path leads from here; if there is none, a box.
    [~, name, ending] = fileparts(path);
    folder = fileparts(mfilename('fullpath'));
    places = {fullfile(folder, path), fullfile(folder, [name, ending]), path};
    found = find(cellfun(@(place) exist(place, 'file') == 2, places), 1);
    V = [];
    if ~isempty(found)
        V = diag(factors)*stl_vertices(places{found});
    end
    if isempty(V) || ~all(isfinite(V(:)))
        warning('stl:missing', 'There is no surface in a file %s; a box is drawn in its place.', path);
        [V, F] = box_shape(s);
    else
        F = reshape(1:size(V, 2), 3, []).';
    end
end"""

_STL_VERTICES = """function V = stl_vertices(path)
% Three columns for each triangle. A binary file has a head of 80 bytes, a number, and 50 bytes for each triangle.
    file = fopen(path, 'r', 'ieee-le');
    bytes = fread(file, Inf, '*uint8');
    fseek(file, 80, 'bof');
    count = fread(file, 1, 'uint32');
    if ~isempty(count) && numel(bytes) == 84 + 50*count
        V = fread(file, [12, count], '12*float32=>double', 2);
        V = reshape(V(4:12, :), 3, []);
    else
        rows = regexp(char(bytes.'), 'vertex\\s+(\\S+)\\s+(\\S+)\\s+(\\S+)', 'tokens');
        V = reshape(str2double([rows{:}]), 3, []);
    end
    fclose(file);
end"""

FUNCTIONS = {
    "box_shape": _BOX, "plane_shape": _PLANE, "sphere_shape": _SPHERE, "ellipsoid_shape": _ELLIPSOID,
    "cylinder_shape": _CYLINDER, "cone_shape": _CONE, "capsule_shape": _CAPSULE, "line_shape": _LINE,
    "arrow_shape": _ARROW, "axes_shape": _AXES, "coil_shape": _COIL, "stl_shape": _STL, "revolved": _REVOLVED,
    "between_rings": _BETWEEN, "stl_vertices": _STL_VERTICES,
}  # fmt: skip
"""By name. Sizes ``s`` are those of the shape, in its order."""
