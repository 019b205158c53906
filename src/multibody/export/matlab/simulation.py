"""The simulation in MATLAB and Octave: start values, times, and the call of a solver."""

from __future__ import annotations

from multibody.export.code import Code
from multibody.export.matlab.language import checked, file, function, help_text, legend, statements, text
from multibody.export.program import Program
from multibody.export.syntax import one_line


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
    return file(code, *functions)


def _start(program: Program, name: str) -> list[str]:
    rows = [f"        {one.value!r} % {one_line(f'{one.name} {one.meaning}')}" for one in program.states]
    return [
        "if nargin < 2 || isempty(y0)",
        *(["    y0 = [", *rows, "    ];"] if rows else ["    y0 = [];"]),
        "end",
        *checked("y0", "The state", len(rows), name),
    ]


def _solve(program: Program, name: str, projected: bool) -> list[str]:
    if not program.states:
        return ["Y = zeros(numel(T), 0); % there are no states"]
    if projected:
        return ["Y = stepwise(T, y0(:), p, c, options);"]
    return _WHOLE.format(name=name).splitlines()


def _ending(program: Program, name: str) -> list[str]:
    labels = ", ".join(text(one.name) for one in program.states)
    return _ENDING.format(name=name, labels=labels).splitlines()


def _closed(program: Program, code: Code, name: str) -> list[str]:
    """Functions that find start values: coordinates first, then speeds, from the guess where nothing was set."""
    if "assembly" not in code:
        return ["function y = closed(t, y, p, c) %#ok<INUSD>\nend"]
    n, m = len(program.coordinates), len(program.speeds)
    columns = {"start": [one.value for one in program.states], "guess": program.guess}
    lines = [f"{array} = [{'; '.join(map(repr, values))}];" for array, values in columns.items()]
    lines += _CLOSED.format(n=n, first=n + 1, last=n + m).splitlines()
    return [function("y = closed(t, y, p, c)", lines), *_correction(program, code, name, "assembly", "assembled")]


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

_WHOLE = """valued({name}_der_state(T(1), y0(:), p, c), T(1));
[reached, Y] = ode45(@(t, y) {name}_der_state(t, y, p, c), T, y0(:), options);
if numel(reached) < numel(T)
    error('{name}:solver', 'The solver stopped at t = %g.', reached(end));
end
valued(Y, T(end));"""

_VALUED = """function valued(numbers, t)
    if ~all(isfinite(numbers(:)))
        error('{name}:singular', 'At t = %g, or before, the equations have no solution: is the position singular?', t);
    end
end"""

_CLOSED = """if norm(projected(t, y, p, c) - y) <= 1e-9*(1 + norm(y))
    return
end
x = y;
x(y == start) = guess(y == start); % as it was before it was closed for other parameters
for k = 1:50
    step = assembled(t, x, p, c) - x;
    x(1:{n}) = x(1:{n}) + step(1:{n})*min(1, 0.6/max([abs(step(1:{n})); 1e-300])); % no leap
end
for k = 1:5
    step = assembled(t, x, p, c) - x;
    x({first}:{last}) = x({first}:{last}) + step({first}:{last});
end
if norm(projected(t, x, p, c) - x) <= 1e-9*(1 + norm(x))
    y = x;
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
