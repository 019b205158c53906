"""The simulation in MATLAB and Octave: start values, times, and the call of a solver."""

from __future__ import annotations

from multibody.codegen.code import Code
from multibody.codegen.program import Program
from multibody.codegen.syntax import one_line
from multibody.codegen.targets.matlab.dead_points import watching, watching_functions
from multibody.codegen.targets.matlab.language import (
    checked,
    file,
    function,
    help_text,
    legend,
    shaped,
    statements,
    text,
)


def simulation(program: Program, code: Code, name: str) -> str:
    """The file ``<name>_sim.m``."""
    own, projected = f"{name}_sim", "projection" in code
    remark = [
        *help_text(program, own, "Simulation from the start values."),
        f"   [T, Y] = {own} returns times and states, row by row; without results, it draws them.",
        f"   [T, Y, S] = {own}(T, y0, p, options) returns the sensors' values, too. All arguments are optional:",
        "   T times, or the first and the last; y0 start values; p parameters; options of the solver, by odeset.",
        *(_CORRECTED if projected else []),
        *legend("The state:", program.states, "y"),
    ]
    lines = [*_TIMES, *_start(program, name), *_SETTINGS.format(name=name).splitlines()]
    lines += [*_solve(program, name, projected), *_ending(program, name)]
    functions = [function(f"[T, Y, S] = {own}(T, y0, p, options)", lines, remark)]
    if program.states:
        functions.append(_VALUED.format(name=name))
    if projected:
        functions += [_STEPWISE.format(name=name), *_correction(program, code, name, "projection", "projected")]
        functions += _closed(program, code, name)
    functions += watching_functions(program, code, name)
    return file(code, *functions)


def _start(program: Program, name: str) -> list[str]:
    rows = [f"        {state.value!r} % {one_line(f'{state.name} {state.meaning}')}" for state in program.states]
    return [
        "if nargin < 2 || isempty(y0)",
        *(["    y0 = [", *rows, "    ];"] if rows else ["    y0 = [];"]),
        "end",
        *checked("y0", "The state", len(rows), name),
    ]


def _solve(program: Program, name: str, projected: bool) -> list[str]:
    if not program.states:
        return ["Y = zeros(numel(T), 0); % there are no states"]
    watched = watching(program)
    if projected:
        return [*watched, "Y = stepwise(T, y0(:), p, c, options);"]
    first = [*watched, *_FIRST.format(name=name).splitlines()] if watched else []
    return [_START.format(name=name), *first, *_WHOLE.format(name=name).splitlines()]


def _ending(program: Program, name: str) -> list[str]:
    labels = ", ".join(text(state.name) for state in program.states)
    return _ENDING.format(name=name, labels=labels).splitlines()


def _closed(program: Program, code: Code, name: str) -> list[str]:
    """Functions that find start values: coordinates first, then speeds; what was given is held if that can be."""
    n, m = len(program.coordinates), len(program.speeds)
    columns = {"start": [state.value for state in program.states], "guess": program.guess, "level": program.levels}
    lines = [f"{array} = [{'; '.join(map(repr, values))}];" for array, values in columns.items()]
    names = ", ".join(text(state.name) for state in program.states)
    turned = [f"    {[k + 1 for k in places]}" for places in program.eom.model.quaternions]
    lines += _CLOSED.format(n=n, first=n + 1, last=n + m, names=names, turned="\n".join(turned), name=name).splitlines()
    return [function("y = closed(t, y, p, c)", lines), _NEAREST.format(name=name), *_gaps(program, code, name)]


def _gaps(program: Program, code: Code, name: str) -> list[str]:
    """A function for what must vanish at the start, and its derivatives."""
    n, m = len(program.coordinates), len(program.speeds)
    lines, pieces = statements(code["closure"], f"{name}_gaps")
    shapes = {result.name: result.shape for result in program.routine("closure").results}
    sized = {
        shape: shape if shapes[shape] != () and 0 not in shapes[shape] else f"zeros({shapes[shape][0]}, 1)"
        for shape in shapes
    }
    matrices = {
        field: shaped(field, shapes[field]) if 0 not in shapes[field] else "zeros({}, {})".format(*shapes[field])
        for field in ("slopes", "rate_slopes")
    }
    return [
        function(
            "[g, J] = gaps(t, y, p, c, of_speeds)",
            [
                f"r = {name}_inputs(t, y, p);", f"q = y(1:{n});", f"u = y({n + 1}:{n + m});", *lines,
                "if of_speeds", f"    g = {sized['rate_gaps']};", f"    J = {matrices['rate_slopes']};",
                "else", f"    g = {sized['gaps']};", f"    J = {matrices['slopes']};", "end",
            ],
        ),
        *pieces,
    ]  # fmt: skip


def _correction(program: Program, code: Code, name: str, routine: str, own: str) -> list[str]:
    """A function that moves a state nearer to the constraints."""
    n, m = len(program.coordinates), len(program.speeds)
    body = code[routine]
    lines, pieces = statements(body, f"{name}_{own}")
    vectors = [result.name for result in body.routine.results if result.size]
    first = [f"r = {name}_inputs(t, y, p);", f"q = y(1:{n});", f"u = y({n + 1}:{n + m});"]
    return [function(f"y = {own}(t, y, p, c)", [*first, *lines, f"y = [{'; '.join(vectors)}];"]), *pieces]


_CORRECTED = [
    "",
    "   Constraints, and quaternions of unit length, are restored at all times T: give times that are not far apart.",
    "   Start values y0 that differ from the model's are held if they can be, and the others follow. A warning says",
    "   which ones the constraints do not allow.",
]

_TIMES = """if nargin < 1 || isempty(T)
    T = [0, 10];
end
if numel(T) == 2
    T = linspace(T(1), T(2), 501);
end
T = T(:);""".splitlines()

_SETTINGS = """if nargin < 3 || isempty(p)
    p = struct();
end
[p, c] = {name}_parameters(p);
if nargin < 4 || isempty(options)
    options = odeset('RelTol', 1e-8, 'AbsTol', 1e-10);
end"""

_START = "valued({name}_der_state(T(1), y0(:), p, c), T(1));"

_FIRST = """% all steps are watched in a run of its own: with times in between, Octave would omit steps
[reached, ~] = ode45(@(t, y) {name}_der_state(t, y, p, c), [T(1), T(end)], y0(:), options);
if abs(reached(end) - T(end)) > 1e-9*abs(T(end) - T(1))
    error('{name}:solver', 'The solver stopped at t = %g.', reached(end));
end
options = odeset(options, 'Events', own);"""

_WHOLE = """[reached, Y] = ode45(@(t, y) {name}_der_state(t, y, p, c), T, y0(:), options);
if numel(reached) < numel(T)
    error('{name}:solver', 'The solver stopped at t = %g.', reached(end));
end
valued(Y, T(end));"""

_VALUED = """function valued(numbers, t)
    if ~all(isfinite(numbers(:)))
        error('{name}:singular', 'At t = %g, or before, the equations have no solution: is the position singular?', t);
    end
end"""

_CLOSED = """if any(~isfinite(y))
    error('{name}:start', 'No position near the start values keeps all constraints.');
end
given = y ~= start;
if norm(projected(t, y, p, c) - y) <= 1e-9*(1 + norm(y))
    return
end
x = guess;
x(given) = y(given);
level(given) = 2;
turned = [
{turned}
];
for k = 1:size(turned, 1) %% of whatever length, it is the same rotation, unless some entries can be held
    own = turned(k, level(turned(k, :)) == 2);
    if any(numel(own) == [0, 4]) || norm(x(own)) > 1
        x(turned(k, :)) = x(turned(k, :))/max(norm(x(turned(k, :))), 1e-300);
    end
end
wanted = x;
x = nearest(t, x, p, c, (1:{n}).', level, 0.6, 1e-10, false);
x = nearest(t, x, p, c, ({first}:{last}).', level, Inf, 1e-9, true);
names = {{{names}}};
for k = find(given & abs(x - wanted) > 1e-3*max(1, abs(wanted))).'
    warning('{name}:start', '%s begins at %.9g, not at %.9g: the constraints do not allow it.', ...
        names{{k}}, x(k), wanted(k));
end
y = x;""".replace("%%", "%")

_NEAREST = """function x = nearest(t, guess, p, c, places, level, longest, tolerance, of_speeds)
    for hold = 1:3 % first all that were given are held, then those of the caller, then none
        free = places(level(places) < hold);
        for trial = 0:11 + 12*(hold == 3)
            x = guess;
            x(free) = x(free) + (trial > 0)*0.02*1.35^trial*sin(12.9898*free*trial + 0.7*free);
            [x, gap] = approach(t, x, p, c, free, longest, of_speeds);
            if gap <= tolerance
                return
            end
        end
    end
    error('{name}:start', 'No position near the start values keeps all constraints.');
end

function [x, gap] = approach(t, x, p, c, free, longest, of_speeds)
    [g, J] = gaps(t, x, p, c, of_speeds);
    gap = max([abs(g); 0]);
    first = numel(x) - size(J, 2);
    if ~of_speeds
        first = 0;
    end
    for k = 1:60
        if ~(gap > 1e-16 && gap < Inf) || isempty(free)
            return
        end
        A = J(:, free - first);
        step = -pinv(A, 1e-8*norm(A))*g;
        step = step*min(1, longest/max([abs(step); 1e-300]));
        better = false;
        for share = [1, 0.5, 0.25, 0.1, 0.02]
            y = x;
            y(free) = y(free) + share*step;
            [g, J] = gaps(t, y, p, c, of_speeds);
            if max([abs(g); 0]) < gap
                better = true;
                break
            end
        end
        if ~better
            return
        end
        x = y;
        gap = max([abs(g); 0]);
    end
end"""

_STEPWISE = """function Y = stepwise(T, y, p, c, options)
    y = closed(T(1), y, p, c);
    for k = 1:20 % by Newton's method onto the constraints
        before = y;
        y = projected(T(1), y, p, c);
    end
    if ~(norm(y - before) <= 1e-9*(1 + norm(y)))
        error('{name}:start', 'No position near the start values keeps all constraints.');
    end
    valued({name}_der_state(T(1), y, p, c), T(1));
    Y = zeros(numel(T), numel(y));
    Y(1, :) = y.';
    for k = 2:numel(T)
        [reached, part] = ode45(@(t, y) {name}_der_state(t, y, p, c), [T(k - 1), T(k)], y, options);
        if abs(reached(end) - T(k)) > 1e-9*abs(T(k) - T(k - 1))
            error('{name}:solver', 'The solver stopped at t = %g.', reached(end));
        end
        y = projected(T(k), projected(T(k), part(end, :).', p, c), p, c);
        valued(y, T(k));
        Y(k, :) = y.';
    end
end"""

_ENDING = """if nargout > 2
    S = {name}_sensors(T, Y, p, c);
end
if nargout == 0
    plot(T, Y);
    legend({{{labels}}}, 'Interpreter', 'none');
    xlabel('t in s');
    title('{name}', 'Interpreter', 'none');
    clear T Y S
end"""
