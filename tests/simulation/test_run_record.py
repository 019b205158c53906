"""The record of a run and its memory: fields in other places, and writes beyond the end of an array, are noticed."""

import ctypes
from itertools import pairwise

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.compiler.loops.shipped import ShippedLoop, layout_digest
from multibody.simulation.contract import Watch
from multibody.simulation.integrators import compiled_integrator
from multibody.simulation.kernel import run_memory
from multibody.simulation.kernel.run_record import RunRecord
from multibody.simulation.lanes.lane_record import LaneRun
from multibody.simulation.lanes.lanes import Lanes
from multibody.simulation.problem.run_functions import RunFunctions
from multibody.view.render.canvas import Canvas

from .motions import four_bars, move, oscillator, start

RECORDS = {
    "multibody.simulation.kernel.advance": RunRecord,
    "multibody.simulation.lanes.lane_advance": LaneRun,
    "multibody.view.render.kernel": Canvas,
}
METHODS = [
    mb.DormandPrince8(), mb.DormandPrince5(), mb.RungeKutta4(step=0.01), mb.Symplectic(step=0.01),
    mb.SemiImplicitEuler(step=0.01), mb.Rodas5P(),
]  # fmt: skip


def of(fields):
    """A record with these fields."""
    return type("Changed", (ctypes.Structure,), {"_fields_": list(fields)})


@pytest.mark.parametrize("module", RECORDS)
def test_every_exchange_of_neighbors_is_noticed(module):
    """Also a field too many, one too few, and one of another type."""
    fields = list(RECORDS[module]._fields_)
    digest = layout_digest(of(fields))
    assert digest == layout_digest(RECORDS[module])
    swapped = [[*fields[:k], fields[k + 1], fields[k], *fields[k + 2 :]] for k in range(len(fields) - 1)]
    other = [fields[:-1], fields[1:], [*fields, ("more", ctypes.c_double)]]
    retyped = [[*fields[:k], (fields[k][0], ctypes.c_int32), *fields[k + 1 :]] for k in range(len(fields))]
    assert digest not in {layout_digest(of(mutant)) for mutant in (*swapped, *other, *retyped)}


@pytest.mark.parametrize("module", RECORDS)
def test_code_for_another_record_is_refused(module):
    fields = list(RECORDS[module]._fields_)
    loop = ShippedLoop(module, of([fields[1], fields[0], *fields[2:]]))
    with refused("shipped-code-outdated", "./dev kernels"):
        loop.address
    assert ShippedLoop(module, RECORDS[module]).address


# memory --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def memories(monkeypatch):
    """The memory of all runs."""
    made, real = [], compiled_integrator.begun

    def begun(*args):
        record, memory = real(*args)
        made.append(memory)
        return record, memory

    monkeypatch.setattr(compiled_integrator, "begun", begun)
    return made


def runs(integrator):
    """Runs that use all arrays: with events, samples within steps, constraints and states of several sizes."""
    problem, y0 = start(oscillator())
    move(integrator, problem, y0, np.linspace(0, 3, 31))
    eom = oscillator()
    signals = [eom.coordinates[0] - 0.5, eom.speeds[0], eom.coordinates[0] * eom.speeds[0]]
    problem, y0 = start(eom, signals)
    found = move(integrator, problem, y0, np.linspace(0, 20, 31), Watch((0, 1, 0), (False,) * 3))
    assert len(found.occurrences) > 12
    for count in (1, 2, 3):  # states of 11 to 21 entries
        problem, y0 = start(four_bars(count))
        move(integrator, problem, y0, np.linspace(0, 0.3, 7))


@pytest.mark.parametrize("integrator", METHODS, ids=lambda one: type(one).__name__)
def test_nothing_is_written_beyond_an_array(integrator, memories):
    runs(integrator)
    assert len(memories) == 5
    assert [memory.overrun() for memory in memories] == [()] * 5


ROWS = ("y", "new", "point", "K", "F", "floors", "scales")
"""Arrays of rows, whose widths are multiples of eight."""

LINEAR = ("matrix", "pivots", "drift")
"""Arrays of implicit methods, for as many numbers as there are entries of the state, works included."""

EVENTS = ("sides", "signal_scales", "roundings", "later_roundings")
"""Arrays with a number for each event."""


@pytest.mark.parametrize("name", [*ROWS, *EVENTS])
def test_an_array_that_is_too_short_would_be_noticed(name, memories):
    """Were it shorter by a row, or by the number of one event, the loop would write beyond its end."""
    runs(mb.DormandPrince8())
    shortened = []
    for memory in memories:
        place = memory._places[name]
        memory._places = dict(memory._places) | {name: slice(place.start, place.stop - (8 if name in ROWS else 1))}
        shortened.append(memory.overrun())
    assert (name,) in shortened
    assert set(shortened) <= {(name,), ()}


@pytest.mark.parametrize("integrator", [mb.DormandPrince8(), mb.Rodas5P(), mb.RungeKutta4(step=0.01)], ids=str)
def test_nothing_is_written_beyond_an_array_of_lanes(integrator):
    """Samples within steps, constraints, more runs than lanes."""
    for eom in (oscillator(), four_bars(1), four_bars(2)):
        lanes, start = moved_lanes(eom, integrator)
        assert np.isfinite(start).all()
        assert lanes.memory.overrun() == ()


def moved_lanes(eom, integrator):
    """Lanes after eleven runs."""
    state = eom.consistent()
    start = np.array([*state.q, *state.u])
    parameters = np.tile([*eom.model.parameter_values().values()], (11, 1))
    lanes = Lanes(RunFunctions(eom), integrator)
    lanes.run(np.linspace(0, 0.3, 7), np.tile(start, (11, 1)), np.zeros((11, 0)), parameters)
    return lanes, start


@pytest.mark.parametrize("name", ["y", "new", "K", "F", "floors", "scales", "matrix"])
def test_an_array_of_lanes_that_is_too_short_would_be_noticed(name):
    lanes, _ = moved_lanes(oscillator(), mb.Rodas5P())
    places = lanes.memory._places
    empty = slice(places[name].start, places[name].start)  # its first row is written for certain
    lanes.memory._places = dict(places) | {name: empty}
    assert lanes.memory.overrun() == (name,)


def test_neighbors_are_apart():
    places = run_memory.layout(mb.DormandPrince8().method, 11, 3).values()
    assert all(one.stop + run_memory.GUARD == other.start for one, other in pairwise(places))
