"""Dead points of loops that are solved in closed form, in MATLAB and Octave: a function that solvers call at each step.

The motion goes on in the other solution where a discriminant becomes zero, but the closed form stays in its own. So the
discriminants are computed at the ends of all steps, and on the line between them where they are small.
"""

from __future__ import annotations

from multibody.codegen.code import Code
from multibody.codegen.program import Program
from multibody.codegen.targets.matlab.language import function, statements, text

OWN = ("watched", "dead_point", "discriminants_at")
"""The names of these functions."""


def watching(program: Program) -> list[str]:
    """Statements that make a solver call ``watched`` after each step; none without loops in closed form."""
    return _WATCHING.splitlines() if program.loops else []


def watching_functions(program: Program, code: Code, name: str) -> list[str]:
    """The function ``watched``, and those that it calls; none without loops in closed form."""
    if not program.loops:
        return []
    n, m = len(program.coordinates), len(program.speeds)
    loops = ", ".join(text(", ".join(names)) for names in program.loops.values())
    states = ", ".join(text(coordinate.name) for coordinate in program.coordinates)
    lines, pieces = statements(code["watched"], f"{name}_discriminants")
    first = ["y = y(:);", f"r = {name}_inputs(t, y, p);", f"q = y(1:{n});", f"u = y({n + 1}:{n + m});"]
    last = ["discriminants(~isfinite(discriminants)) = -1; % where a loop cannot be closed"]
    return [
        _WATCHED.format(name=name, loops=loops, states=states, last=n + 1),
        _DEAD_POINT,
        function("discriminants = discriminants_at(t, y, p, c)", [*first, *lines, *last]),
        *pieces,
    ]


_WATCHING = """seen = {'t', 'y', 'largest', 'forward'; [], [], 0, sign(T(end) - T(1))};
seen = containers.Map(seen(1, :), seen(2, :), 'UniformValues', false);
own = odeget(options, 'Events');
options = odeset(options, 'Events', @(t, y) watched(t, y, p, c, seen, own));"""

_WATCHED = """function [value, stops, direction] = watched(t, y, p, c, seen, own)
    % called by the solver at the end of each step: an error at the dead point of a loop
    value = 1;
    stops = 0;
    direction = 0;
    if ~isempty(own)
        [value, stops, direction] = own(t, y);
        value = [1; value(:)];
        stops = [0; stops(:)];
        direction = [0; direction(:)];
    end
    if isempty(seen('t'))
        seen('t') = t;
        seen('y') = y(:);
    end
    if (t - seen('t'))*seen('forward') <= 0
        return
    end
    [k, share] = dead_point(t, y(:), p, c, seen);
    if k > 0
        loops = {{{loops}}};
        names = {{{states}}};
        near = (1 - share)*[seen('t'); seen('y')] + share*[t; y(:)];
        place = [names; num2cell(near(2:{last}).')];
        place = sprintf('%s = %.9g, ', place{{:}});
        error('{name}:dead_point', ['The position is singular near t = %.17g: the loop that determines %s reaches ', ...
            'a dead point, where its solutions meet. It is near %s.'], near(1), loops{{k}}, place(1:end - 2));
    end
    seen('t') = t;
    seen('y') = y(:);
end"""

_DEAD_POINT = """function [k, share] = dead_point(t, y, p, c, seen)
    % the number of a loop that passes a dead point since the last step, or 0, and at which share of the way
    before = seen('t');
    start = seen('y');
    at = @(share) discriminants_at(before + share*(t - before), start + share*(y - start), p, c);
    ends = [at(0), at(1)];
    largest = max([ends, seen('largest') + zeros(size(ends, 1), 1)], [], 2);
    seen('largest') = largest;
    for k = find(min(ends, [], 2) < 0.05*largest | largest <= 0).'
        shares = [0, 1];
        for zoom = 1:9
            shares = linspace(shares(1), shares(end), 17);
            values = zeros(size(shares));
            for n = 1:numel(shares)
                D = at(shares(n));
                values(n) = D(k);
            end
            [least, place] = min(values);
            if least <= 1e-9*largest(k)
                share = shares(place);
                return
            end
            if least > 0.1*max(values)
                break % too even for a zero in between
            end
            shares = shares([max(place - 1, 1), min(place + 1, end)]);
        end
    end
    k = 0;
    share = 0;
end"""
