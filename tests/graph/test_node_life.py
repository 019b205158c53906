"""Nodes live as long as somebody holds them."""

import gc
import tracemalloc
import weakref

from multibody.graph import cos, live_nodes, sin, symbols, topological, where

x, y, z = symbols("life_x life_y life_z")  # what is made of them is held by nobody else


def test_what_nobody_holds_is_freed():
    node = sin(x + 3) * cos(y - 4) / (x * z + 5)
    refs = [weakref.ref(n) for n in topological([node]) if n.args]
    assert len(refs) > 6
    del node
    gc.collect()
    assert [ref() for ref in refs] == [None] * len(refs)


def test_a_freed_expression_can_be_made_again():
    for _ in range(3):
        node = sin(x * 1.25) + y
        assert node is sin(x * 1.25) + y
        del node


def test_negatives_and_conditions_are_freed_too():
    before = live_nodes()
    held = [where(x + k < y, -(x * k), sin(-x - k)) for k in range(2, 100)]
    assert live_nodes() > before + 300
    del held
    gc.collect()
    assert live_nodes() <= before + 5


def test_memory_stays_bounded_over_many_builds():
    def build(k):
        total = x
        for j in range(80):
            total = total + sin(y * (k + j / 7)) * total
        return len(topological([total]))

    build(0)
    before = live_nodes()
    tracemalloc.start()
    try:
        sizes = []
        for k in range(9):
            build(1000 * k)
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(sizes[5:]) < 4e6 + min(sizes[2:5])  # tables of dead entries may grow to a limit, and are swept then
    assert live_nodes() <= before + 20
