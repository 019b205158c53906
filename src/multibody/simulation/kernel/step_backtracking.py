"""Going back from singular positions, to come over them with another step. Loaded late: everything here is compiled.

Where constraints become dependent, the motion is smooth but its equations are not: off the constraints by rounding
alone, rates grow without bounds near such a position. A long step passes over it without notice; but once a step has
ended too near, the next ones become shorter and shorter and never arrive. Then the last long step is taken back, and
done again with another length.
"""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import compiled, copy, doubles

COLLAPSE = 0.1
"""A step that has to become so much shorter than the last long one is a reason to go back."""

LONG, FAR = 0.5, 1.5
"""A step is long if it has this part of the length of the one before; so many lengths are far."""

MOST_RETREATS = 10
"""After so many the reason must be another one, such as a discontinuity."""

GOLDEN = 0.618
"""Its multiples, without their integers, are spread evenly: lengths to try."""


@compiled
def remember(run: Any) -> None:
    """Keep where an accepted step began, if it is a long one, or the last long one is far behind."""
    if run.next > run.trouble:
        run.retreats = 0
    far = run.next >= run.last_t + FAR * run.last_h
    if run.projection_at == 0 or (run.h < LONG * run.last_h and not far):
        return
    run.last_t, run.last_h, run.last_samples, run.last_hits = run.t, run.h, run.samples, run.hits
    copy(run.y, run.last_y, run.size)
    copy(run.K, run.last_rate, run.size)
    copy(run.sides, run.last_sides, run.events)


@compiled
def forget(run: Any) -> None:
    """There is no way back behind what has been carried away."""
    run.last_h = 0.0


@compiled
def retreated(run: Any) -> bool:
    """Go back to where the last long step began, if steps have collapsed since."""
    if run.step >= COLLAPSE * run.last_h or run.retreats == MOST_RETREATS:
        return False
    run.retreats += 1
    run.linearized = 0
    run.trouble = run.t + COLLAPSE * run.last_h
    run.t, run.samples, run.hits = run.last_t, run.last_samples, run.last_hits
    while run.ends > 0 and doubles(run.step_t)[run.ends - 1] > run.t:
        run.ends -= 1
    copy(run.last_y, run.y, run.size)
    copy(run.last_rate, run.K, run.size)
    copy(run.last_sides, run.sides, run.events)
    spread = GOLDEN * run.retreats
    run.step = run.last_h * (0.4 + 0.5 * (spread - math.floor(spread)))
    forget(run)
    return True
