"""All passes of the lowering keep the values: programs are run with exact numbers and compared with the expressions."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import reduce
from typing import Any

import pytest

from multibody.graph import evaluate, isolated, sin, symbols, topological, where
from multibody.graph.evaluate import ARITHMETIC
from multibody.lowering import (
    SAME,
    Operation,
    StraightLineProgram,
    by_creation,
    canonical,
    fuse,
    hoist,
    schedule,
    split,
    with_near_operands,
    workspace,
)

x, y, z, m, k = STATES_AND_PARAMETERS = symbols("x y z m k")
PARAMETERS = (m, k)
POINT = dict(zip(STATES_AND_PARAMETERS, map(Fraction, ("1/3", "-5/7", "11/2", "13/10", "-2/9")), strict=True))
EXACT = {
    **ARITHMETIC,
    "recip": lambda a: Fraction(1) / Fraction(a),
    "div": lambda a, b: Fraction(a) / Fraction(b),
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    SAME: lambda a: a,
}


def outputs(seed: int) -> list[Any]:
    """Sums, products, quotients and choices that share parts; all are made twice, in tables of nodes of their own."""

    def made() -> list[Any]:
        rng = random.Random(seed)
        layer: list[Any] = list(STATES_AND_PARAMETERS)
        for _ in range(4):
            trios = [rng.choices(layer, k=3) for _ in range(15)]
            makers = [
                lambda a, b, c: a - b * c, lambda a, b, c: a * c + b, lambda a, b, c: c / (b * b + 1) + a,
                lambda a, b, c: where(a < b, a, c), lambda a, b, c: (a + c) * m * k,
            ]  # fmt: skip
            layer = [*rng.sample(layer, 5), *(rng.choice(makers)(*trio) for trio in trios)]
        return layer

    with isolated():
        first = made()
    with isolated():
        return first + made()


def exact(program: StraightLineProgram, known: dict[Any, Any] = POINT) -> list[Any]:
    """The results with exact numbers, operation by operation."""
    values = dict(known)

    def value(node: Any) -> Any:
        return node.value if node.op == "const" else values[node]

    for op, node, args in program.operations:
        values[node] = EXACT[op](*map(value, args))
    return [value(node) for node in program.results]


def reference(values: list[Any]) -> list[Any]:
    return [evaluate(value, POINT) for value in values]


def is_in_order(program: StraightLineProgram) -> bool:
    """Whether operands come before they are used."""
    made: set[Any] = set()
    for step in program.operations:
        if any(arg.args and arg not in made for arg in step.args):
            return False
        made.add(step.node)
    return True


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("order", [by_creation, canonical()], ids=["by_creation", "canonical"])
def test_a_schedule_computes_the_expressions_and_each_value_once(seed, order):
    values = outputs(seed)
    program = schedule(values, order)
    assert is_in_order(program)
    assert exact(program) == reference(values)
    keys = [(step.node.fp, step.node.guards) for step in program.operations]
    assert len(keys) == len(set(keys)) < len([node for node in topological(values) if node.args])


def test_an_operand_after_its_use_is_noticed():
    program = schedule([sin(x * y) + z])
    assert is_in_order(program)
    assert not is_in_order(program._replace(operations=program.operations[::-1]))


def test_the_canonical_order_does_not_depend_on_when_nodes_were_made():
    with isolated():
        a = (x + y) * (z - m)
    with isolated():
        right, left = z - m, y + x
        b = right * left
    texts = [[(s.op, *map(str, s.args)) for s in schedule([one], canonical()).operations] for one in (a, b)]
    assert texts[0] == texts[1]
    created = [[s.op for s in schedule([one]).operations] for one in (a, b)]
    assert created == [["add", "sub", "mul"], ["sub", "add", "mul"]]


def test_symbols_that_stand_for_expressions_are_put_in():
    program = schedule([x * z], canonical({z: -(x + y)}))
    assert exact(program, {x: 2, y: 3}) == [-10]
    assert SAME in {step.op for step in program.operations}  # the sign gets the name of the symbol


def test_early_values_come_first_if_they_are_needed():
    first, last = x * y, y + z
    ops = [s.op for s in schedule([last * first], canonical(early=[last.fp, (x * z).fp])).operations]
    assert ops == ["add", "mul", "mul"]
    assert next(s.op for s in schedule([last * first], canonical(early=[first.fp])).operations) == "mul"


@pytest.mark.parametrize("seed", range(4))
def test_stages_and_fused_operations_keep_the_values(seed):
    values = outputs(seed)
    stages = hoist(schedule(values), PARAMETERS)
    prepare, main = map(fuse, stages)
    assert not {arg for step in prepare.operations for arg in step.args} & {x, y, z}
    known = dict(zip(prepare.results, exact(prepare), strict=True))
    assert exact(main, {**POINT, **known}) == reference(values)
    assert {"div", "fma"} <= {step.op for step in main.operations}
    assert [fused.counts.get("mul", 0) for fused in (prepare, main)] <= [s.counts.get("mul", 0) for s in stages]


def test_a_value_that_is_used_twice_is_not_fused():
    shared = x * y
    assert [s.op for s in fuse(schedule([shared + z, shared - z])).operations] == ["mul", "add", "sub"]
    assert [s.op for s in fuse(schedule([shared + z, shared])).operations] == ["mul", "add"]  # once, and as a result
    assert [s.op for s in fuse(schedule([shared + z])).operations] == ["fma"]


def test_what_is_written_out_is_not_kept():
    program = schedule([where(m + k < m * k, x, y)])
    kept = hoist(program, PARAMETERS, lambda node: node.op == "lt")
    assert sorted(node.op for node in kept.prepare.results) == ["add", "mul"]
    assert [step.op for step in kept.main.operations] == ["lt", "where"]
    assert [node.op for node in hoist(program, PARAMETERS).prepare.results] == ["lt"]


def run_in_pieces(program: StraightLineProgram, length: int, places: dict[Any, int]) -> list[Any]:
    """The results if pieces know nothing of each other but the workspace."""
    memory: dict[int, Any] = {}
    results: dict[Any, Any] = dict(POINT)
    for piece in split(program.operations, length):
        known = {**POINT, **{node: memory[place] for node, place in places.items() if place in memory}}
        values = exact(StraightLineProgram(tuple(piece), tuple(step.node for step in piece)), known)
        made = dict(zip((step.node for step in piece), values, strict=True))
        results |= made
        memory |= {places[node]: value for node, value in made.items() if node in places}
    return [results[node] for node in program.results]


@pytest.mark.parametrize("length", [1, 7, 40])
def test_pieces_pass_their_values_through_the_workspace(length):
    program = with_near_operands(schedule(outputs(1)))
    assert is_in_order(program)
    places, width = workspace(split(program.operations, length))
    assert run_in_pieces(program, length, places) == exact(program)
    assert width < len(places)  # places are used again
    if length == 7:
        overwritten = dict.fromkeys(places, 0)
        assert run_in_pieces(program, length, overwritten) != exact(program)


def test_parts_without_connection_are_computed_one_after_the_other():
    starts = symbols(" ".join(f"s{i}" for i in range(40)))
    layers = schedule([reduce(lambda value, _: value * value + 1, range(3), start) for start in starts])
    near = with_near_operands(layers)
    assert sorted(step.node.serial for step in near.operations) == [step.node.serial for step in layers.operations]
    assert near.results == layers.results
    assert workspace(split(near.operations, 6))[1] <= 1


def test_needed_operations_only():
    program = schedule([x * y, sin(z)])
    assert program.restricted([program.results[1]]).operations == (Operation("sin", sin(z), (z,)),)
    assert program.restricted([]).operations == ()
