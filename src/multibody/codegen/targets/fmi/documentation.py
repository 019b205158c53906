"""The page in an FMU's ``documentation``: what its variables are, and what it does between communication points."""

from __future__ import annotations

from html import escape

from multibody.codegen.targets.fmi.interface import Interface


def page(name: str, version: int, interface: Interface, tolerance: float, step: float | None) -> str:
    """HTML for people."""
    heads = ("name", "value reference", "role", "unit", "start", "meaning")
    rows = [
        (one.name, one.reference, one.role, one.unit, "" if one.start is None else repr(one.start), one.description)
        for one in interface.variables
    ]
    table = [f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows]
    return _PAGE.format(
        name=escape(name),
        version=version,
        states=_CONSTRAINED if interface.constrained else _FREE,
        solver=_ADAPTIVE.format(tolerance=tolerance) if step is None else _FIXED.format(step=step),
        inputs=_POLYNOMIAL if version == 2 else _HELD,
        heads="".join(f"<th>{head}</th>" for head in heads),
        rows="\n".join(table),
    )


_FREE = "Start values of states are exact."
_CONSTRAINED = """Start values of states are guesses: when initialization ends, states are moved onto the constraints,
if that suffices only those whose start values were left open in the model, and quaternions to unit length. Later they
are kept there by the smallest correction in the sense of kinetic energy. In model exchange, states that drifted off by
more than ten times the tolerance ask for an event, in which they are brought back. Parameters that change the
constraints have the same effect, in event mode or at the next communication point."""
_ADAPTIVE = """steps as long as the tolerance allows: the importer's, or {tolerance} otherwise, relative to each state,
and a hundredth of it absolutely"""
_FIXED = "steps of equal length, at most {step} s, without looking at the error"
_POLYNOMIAL = """Between communication points an input is the polynomial that is given by its value and its derivatives
up to order 3 (fmi2SetRealInputDerivatives) at the last one; these hold for one step. Without derivatives inputs are
constant."""
_HELD = "Between communication points inputs are constant."

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{name}</title></head>
<body>
<h1>{name}</h1>
<p>Equations of motion as an FMU for model exchange and co-simulation, FMI {version}.0, written by multibody. SI units
and radians. {states}</p>
<h2>Co-simulation</h2>
<p>The FMU integrates with the method of Dormand and Prince of order 5, with {solver}. Steps end at communication
points; the step length is remembered from one to the next. {inputs} An input that has a smallest or largest value is
held there, with a warning. A step that cannot be finished is discarded, with the time that was reached.</p>
<h2>Events</h2>
<p>There are no event indicators: conditions, signs, limits and tables in the equations are evaluated as they stand, and
an integrator meets their kinks as ours does. Co-simulation has no event mode.</p>
<h2>Variables</h2>
<table>
<tr>{heads}</tr>
{rows}
</table>
</body>
</html>
"""
