"""Absolute tolerances that follow the scale of each coordinate and speed. Loaded late: functions here are compiled.

The error of an entry y in a step of length h may be rtol·|y| plus a floor. By default, with scales that are the largest
values in a run so far, the floor is

    min(1e-10, max(0.01·rtol·scale, 1e-6·rtol·group, 64·ε·group, 100·ε·h·rate, h·noise))

where group and rate are the largest scale and the largest rate of all coordinates, or of all speeds: rounding errors of
large entries reach small ones through the equations. Noise is zero until errors are seen that do not decrease with the
step, as rounding errors where large forces cancel each other.

Where motion is prescribed, works count, too: their errors are relative to the largest energy in the run so far.
"""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import compiled, doubles, larger, smaller, square
from multibody.simulation.kernel.run_record import GROUP_SHARE, LARGEST_FLOOR, OWN_SHARE, RATE_ROUNDING, VALUE_ROUNDING

TINY = 1e-140
"""The floor where nothing moves; its square is a number."""

MARGIN, FADING = 30.0, 0.95
"""Noise is allowed for with this margin, which is reduced by this factor in every step."""


@compiled
def group_floor(rtol: float, group: float, rate: float, h: float) -> float:
    """What all entries of a kind may be off."""
    return larger(larger(larger(GROUP_SHARE * rtol, VALUE_ROUNDING) * group, RATE_ROUNDING * h * rate), TINY)


@compiled
def work_tolerance(rtol: float, atol: float, group: float, rate: float, h: float) -> float:
    """What works may be off, where they count: relative to the largest energy, also where a work is zero."""
    return atol + rtol * group + group_floor(rtol, group, rate, h)


@compiled
def find_floors(run: Any, new: int, h: float) -> None:
    """The floors of a step to ``new``."""
    floors_of_kind(run, new, h, 0, run.coordinates)
    floors_of_kind(run, new, h, run.coordinates, run.coordinates + run.speeds)
    if run.works > 0:
        tolerances_of_works(run, new, h, run.coordinates + run.speeds)


@compiled
def tolerances_of_works(run: Any, new: int, h: float, first: int) -> None:
    """The allowed errors of works, which follow the speeds."""
    floors, scales, noises = doubles(run.floors), doubles(run.scales), doubles(run.noises)
    later, rates, group, rate = doubles(new), doubles(run.K), 0.0, 0.0
    for i in range(first, first + run.works):
        group = larger(group, larger(scales[i], abs(later[i])))
        rate = larger(rate, abs(rates[i]))
    common = work_tolerance(run.rtol, run.atol, group, rate, h)
    for i in range(first, first + run.works):
        floors[i] = larger(common, h * noises[i])


@compiled
def floors_of_kind(run: Any, new: int, h: float, first: int, last: int) -> None:
    """The same for the entries from first to last."""
    floors, scales, noises = doubles(run.floors), doubles(run.scales), doubles(run.noises)
    later, rates = doubles(new), doubles(run.K)
    if run.atol > 0.0:
        for i in range(first, last):
            floors[i] = run.atol
        return
    group, rate, share = 0.0, 0.0, OWN_SHARE * run.rtol
    for i in range(first, last):
        scale = larger(scales[i], abs(later[i]))
        group = larger(group, scale)
        rate = larger(rate, abs(rates[i]))
        floors[i] = larger(share * scale, h * noises[i])
    common = group_floor(run.rtol, group, rate, h)
    for i in range(first, last):
        floors[i] = smaller(larger(floors[i], common), LARGEST_FLOOR)


@compiled
def keep_scales(run: Any) -> None:
    """Note the values at the end of a step that was accepted."""
    scales, noises, new = doubles(run.scales), doubles(run.noises), doubles(run.new)
    for i in range(run.coordinates + run.speeds + run.works):
        scales[i] = larger(abs(new[i]), scales[i])
        if noises[i] != 0.0:
            noises[i] *= FADING


@compiled
def is_noise(error: float, h: float, rejected_error: float, rejected_h: float) -> bool:
    """Whether an error has hardly decreased with the step since the last one was rejected."""
    return rejected_h > 0.0 and error > larger(0.5, rejected_error * square(h / rejected_h))


@compiled
def characteristic_time(q: float, u: float, q_rate: float, u_rate: float, longest: float) -> float:
    """The time in which values of such sizes change by as much; a millionth of a second where nothing tells."""
    time = longest
    if q > 0.0:
        time = smaller(smaller(q / q_rate, math.sqrt(q / u_rate)), time)
    if u > 0.0:
        time = smaller(u / u_rate, time)
    return time if q > 0.0 or u > 0.0 else smaller(1e-6, longest)
