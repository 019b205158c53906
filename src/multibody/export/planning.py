"""Which values get a name, and which are computed apart because they follow from parameters alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from multibody.export.quantities import Routine
from multibody.export.schedule import CONDITIONS, SAME, Operation, Schedule

LARGE = 12
"""So many operations may stand in one expression."""


class Plan(NamedTuple):
    """A routine's operations, and those of them that get a name."""

    routine: Routine
    schedule: Schedule
    named: set[Any]


class Plans(NamedTuple):
    """What is computed apart, its plan, and the plans of all routines."""

    hoisted: list[Any]
    first: Plan
    main: list[Plan]


def planned(routines: Sequence[Routine], whole: Schedule, fixed: set[Any], landmarks: Mapping[Any, str]) -> Plans:
    """Plans for routines that share one schedule.

    Args:
        routines: whose results the schedule holds, one after the other.
        whole: all operations.
        fixed: those that follow from parameters alone.
        landmarks: fingerprints of values that have a good name.
    """
    hoisted = _hoisted(whole, fixed)
    first = _plan(Routine("prepare", "what follows from parameters alone", ()), whole.of(hoisted), {}, set())
    first.named.update(hoisted)
    parts = _split(routines, whole)
    plans = [_plan(routine, _main(part, fixed), landmarks, set(hoisted)) for routine, part in parts]
    named = set[Any]().union(*(plan.named for plan in plans))  # a name means the same in all routines
    return Plans(hoisted, first, [plan._replace(named=named) for plan in plans])


def _split(routines: Sequence[Routine], whole: Schedule) -> Iterator[tuple[Routine, Schedule]]:
    """Each routine with the operations that it needs."""
    results = iter(whole.results)
    for routine in routines:
        yield routine, whole.of(list(islice(results, sum(result.size for result in routine.results))))


def _hoisted(whole: Schedule, fixed: set[Any]) -> list[Any]:
    """What follows from parameters alone and is used elsewhere."""
    steps = {step.node: step for step in whole.operations}
    used = [arg for step in whole.operations if step.node not in fixed for arg in step.args if arg in fixed]
    used += [result for result in whole.results if result in fixed]
    return list(dict.fromkeys(leaf for node in used for leaf in _below_signs(node, steps) if leaf in fixed))


def _below_signs(node: Any, steps: Mapping[Any, Operation]) -> Iterator[Any]:
    """The node itself; of a sign or a condition, which never get a name, the operands."""
    if not written_out(node):
        yield node
        return
    for arg in steps[node].args:
        yield from _below_signs(arg, steps)


def _main(schedule: Schedule, fixed: set[Any]) -> Schedule:
    """The operations that are left, and the signs and conditions of what was computed before."""
    kept = tuple(step for step in schedule.operations if step.node not in fixed or written_out(step.node))
    return Schedule(kept, schedule.results)


def _plan(routine: Routine, schedule: Schedule, landmarks: Mapping[Any, str], given: set[Any]) -> Plan:
    """A value gets a name if it is used more than once, would make an expression too long, or has a good name."""
    uses = Counter(schedule.results)
    for step in reversed(schedule.operations):
        weight = uses[step.node] if written_out(step.node) else 1
        for arg in step.args:
            uses[arg] += weight
    named: set[Any] = set()
    sizes: dict[Any, int] = dict.fromkeys(given, 0)
    for step in schedule.operations:
        if step.node in given:
            continue
        parts = sorted((arg for arg in dict.fromkeys(step.args) if sizes.get(arg, 0)), key=lambda arg: -sizes[arg])
        most = LARGE // 2 if written_out(step.node) else LARGE
        for part in [part for part in parts if not written_out(part)]:
            if sum(sizes[arg] for arg in parts) >= most:
                named.add(part)
                sizes[part] = 0
        sizes[step.node] = 1 + sum(sizes[arg] for arg in parts)
        good = step.op == SAME or step.node.fp in landmarks
        if not written_out(step.node) and (uses[step.node] > 1 or good):
            named.add(step.node)
            sizes[step.node] = 0
    return Plan(routine, schedule, named)


def planned_names(schedule: Schedule) -> set[Any]:
    """The operations of one expression that get a name."""
    return _plan(Routine("", "", ()), schedule, {}, set()).named


def written_out(node: Any) -> bool:
    """Signs and conditions never get a name."""
    return node.op == "neg" or node.op in CONDITIONS
