"""The parameters in MATLAB and Octave: a structure, and what follows from it."""

from __future__ import annotations

from math import isfinite

from multibody.codegen.code import Code
from multibody.codegen.parameter_formulas import arrays_of, origin
from multibody.codegen.program import Program
from multibody.codegen.targets.matlab.language import SYNTAX, file, function, help_text


def parameters(program: Program, code: Code, name: str) -> str:
    """The file ``<name>_parameters.m``."""
    own = f"{name}_parameters"
    remark = [
        *help_text(program, own, "Parameters, with other values for some of them."),
        f"   p = {own} has the defaults. Give names and values, or a structure, for others:",
        f"   p = {own}('name', value, ...) or p = {own}(p).",
        f"   [p, c] = {own}(...) also returns what follows from them alone. Functions that are",
        "   given both need not compute it again; c belongs to p, and to no other parameters.",
        *(_FORMULAS if code.formulas else []),
    ]
    lines = ["p = struct();"]
    for parameter in program.parameters:
        field = code.members[parameter.symbol]
        value = repr(parameter.value) if isfinite(parameter.value) else "NaN"
        lines.append(f"p.{field} = {value}; {SYNTAX.remark(origin(parameter, field))}".rstrip())
    lines += _PARAMETERS.format(name=own, arrays=_arrays(program, code), formulas=_formulas(code),
                               open=_missing(program, code, own)).splitlines()  # fmt: skip
    inner = [f"c = zeros({len(code.constants)}, 1);"]
    inner += [line for part in code.prepare.parts for line in SYNTAX.lines(part)]
    head = f"[p, c] = {own}(varargin)"
    rules = [*([_FOLLOWS] if code.formulas else []), *([_SPREAD.format(name=own)] if arrays_of(program) else [])]
    return file(code, function(head, lines, remark), function("c = following(p) %#ok<INUSD>", inner), *rules)


def _formulas(code: Code) -> str:
    """Statements for the fields that are formulas of others, unless they were given."""
    lines = ["p.formulas = struct();"] if code.formulas else []
    for formula in code.formulas:
        own = code.members[formula.quantity.symbol]
        inner = [*formula.lines(SYNTAX), f"p.{own} = {formula.text};", f"p.formulas.{own} = p.{own};"]
        lines += [f"if follows(changes, '{own}')", *(f"    {line}" for line in inner), "end"]
    return "".join(f"{line}\n" for line in lines)


def _arrays(program: Program, code: Code) -> str:
    """Statements that exchange arrays that were given by their own names for their elements."""
    fields = {
        parameter.symbol.name: code.members[parameter.symbol]
        for parameter in program.parameters
        if parameter.symbol is not None
    }
    lines = []
    for name, elements in arrays_of(program).items():
        listed = ", ".join(f"'{fields[element]}'" for element in elements)
        lines += [f"if isfield(changes, '{name}')", f"    changes = spread(changes, '{name}', {{{listed}}});", "end"]
    return "".join(f"{line}\n" for line in lines)


def _missing(program: Program, code: Code, own: str) -> str:
    """Statements that demand the fields that have no default."""
    names = ", ".join(f"'{code.members[parameter.symbol]}'" for parameter in program.parameters if parameter.is_open)
    return _MISSING.format(names=names, name=own) if names else ""


_FORMULAS = [
    "   A parameter that follows from others follows them until its own value is changed; p.formulas has what",
    "   it was last.",
]

_FOLLOWS = """function yes = follows(changes, name)
    yes = ~isfield(changes, name) || isnan(changes.(name)) || (isfield(changes, 'formulas') ...
        && isfield(changes.formulas, name) && changes.formulas.(name) == changes.(name));
end"""

_SPREAD = """function changes = spread(changes, name, elements)
    given = changes.(name).';
    changes = rmfield(changes, name);
    if numel(given) ~= numel(elements)
        error('{name}:value', 'The parameter %s has %d elements, not %d.', name, numel(elements), numel(given));
    end
    for k = 1:numel(elements)
        changes.(elements{{k}}) = given(k);
    end
end"""

_MISSING = """for name = {{{names}}}
    if isnan(p.(name{{1}}))
        error('{name}:missing', 'The parameter %s has no value.', name{{1}});
    end
end
"""

_PARAMETERS = """if nargin == 1
    changes = varargin{{1}};
else
    changes = struct(varargin{{:}});
end
{arrays}names = fieldnames(changes);
for k = 1:numel(names)
    if strcmp(names{{k}}, 'formulas')
        continue % what the formulas gave before
    end
    given = changes.(names{{k}});
    if ~isfield(p, names{{k}})
        known = strjoin(fieldnames(p).', ', ');
        error('{name}:unknown', 'There is no parameter %s. There are: %s.', names{{k}}, known);
    end
    if ~(isnumeric(given) && isreal(given) && isscalar(given) && (isfinite(given) || isnan(p.(names{{k}}))))
        error('{name}:value', 'The parameter %s must be a real number.', names{{k}});
    end
    p.(names{{k}}) = double(given);
end
{open}{formulas}c = following(p);"""
