"""The parameters in MATLAB and Octave: a structure, and what follows from it."""

from __future__ import annotations

from multibody.export.code import Code
from multibody.export.matlab.language import SYNTAX, file, function, help_text
from multibody.export.program import Program


def parameters(program: Program, code: Code, name: str) -> str:
    """The file ``<name>_parameters.m``."""
    own = f"{name}_parameters"
    remark = [
        *help_text(program, own, "Parameters, with other values for some of them."),
        f"   p = {own} has the defaults. Give names and values, or a structure, for others:",
        f"   p = {own}('name', value, ...) or p = {own}(p).",
        f"   [p, c] = {own}(...) also returns what follows from them alone. Functions that are",
        "   given both need not compute it again; c belongs to p, and to no other parameters.",
    ]
    lines = ["p = struct();"]
    for one in program.parameters:
        field = code.members[one.symbol]
        lines.append(f"p.{field} = {one.value!r}; {SYNTAX.remark(one.meaning_of(field))}".rstrip())
    lines += _PARAMETERS.format(name=own).splitlines()
    inner = [f"c = zeros({len(code.constants)}, 1);"]
    inner += [line for part in code.prepare.parts for line in SYNTAX.lines(part)]
    head = f"[p, c] = {own}(varargin)"
    return file(code, function(head, lines, remark), function("c = following(p) %#ok<INUSD>", inner))


_PARAMETERS = """if nargin == 1
    changes = varargin{{1}};
else
    changes = struct(varargin{{:}});
end
names = fieldnames(changes);
for k = 1:numel(names)
    given = changes.(names{{k}});
    if ~isfield(p, names{{k}})
        known = strjoin(fieldnames(p).', ', ');
        error('{name}:unknown', 'There is no parameter %s. There are: %s.', names{{k}}, known);
    end
    if ~(isnumeric(given) && isreal(given) && isscalar(given) && isfinite(given))
        error('{name}:value', 'The parameter %s must be a real number.', names{{k}});
    end
    p.(names{{k}}) = double(given);
end
c = following(p);"""
