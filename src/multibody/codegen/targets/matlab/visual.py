"""The animation in MATLAB and Octave: what the user has drawn, or else the bodies as lines."""

from __future__ import annotations

from multibody.codegen.code import Code
from multibody.codegen.program import Program
from multibody.codegen.targets.matlab.drawings import can_be_drawn, drawn
from multibody.codegen.targets.matlab.language import file, function, help_text, opening, statements, text
from multibody.codegen.targets.matlab.skeleton import Figure, skeleton


def figure(program: Program) -> Figure:
    """What is there to see of a model."""
    return drawn(program) if can_be_drawn(program.eom.model) else skeleton(program)


def visual(program: Program, code: Code, name: str, shown: Figure) -> str:
    """The file ``<name>_visual.m``."""
    own = f"{name}_visual"
    remark = [
        *help_text(program, own, "Animation of what a solver has returned."),
        f"   {own}(T, Y) shows the motion as fast as it is; T are times, Y states, row by row.",
        f"   {own}(T, Y, fak) shows it fak times slower; with fak = 0, every picture is drawn, without a pause.",
        f"   h = {own}(T, Y, fak, p), with parameters p, returns {shown.returned}.",
    ]
    lines = [
        *_HEAD.format(name=name).splitlines(),
        *shown.table,
        *_COLLECT.format(collect=shown.collect).splitlines(),
        *shown.measure.splitlines(),
        *_AXES.format(direction=shown.direction).splitlines(),
        *shown.make.splitlines(),
        *_PLAY.format(title=text(name), show=shown.show).splitlines(),
    ]
    main = function(f"h = {own}(T, Y, fak, p)", lines, remark)
    return file(code, main, *shown.functions, *_scene(program, code, name, shown))


def _scene(program: Program, code: Code, name: str, shown: Figure) -> list[str]:
    """The function that computes one picture."""
    lines, pieces = statements(code["visual"], f"{name}_scene")
    last = [f"{result} = reshape({result}, {size});" for result, size in shown.dimensions.items()]
    head = f"[{', '.join(shown.dimensions)}] = scene(t, y, p, c)"
    return [function(head, [*opening(program, name), *lines, *last]), *pieces]


_HEAD = """if nargin < 3 || isempty(fak)
    fak = 1;
end
if nargin < 4 || isempty(p)
    p = struct();
end
[p, c] = {name}_parameters(p);"""

_COLLECT = """for k = numel(T):-1:1
    {collect}
end"""

_AXES = """
figure();
limits = (low + high)/2*[1, 1] + 0.6*extent*[-1, 1]; % the same range for all axes
axes('PlotBoxAspectRatio', [1, 1, 1], 'XLim', limits(1, :), 'YLim', limits(2, :), 'ZLim', limits(3, :));
view({direction});
grid('on');
xlabel('x');
ylabel('y');
zlabel('z');"""

_PLAY = """
started = tic();
k = 1;
while true
    {show}
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
