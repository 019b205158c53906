"""Sweeps with the workers of a Dask cluster."""

import os

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb

distributed = pytest.importorskip("distributed")


def pendulum():
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    (l,) = system.parameters(l=1.0)
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -l)), "Ry", q=0.5)
    system.load(mb.JointLoad(hinge, system.input("M")))
    system.sensor("height", mb.Expression(-l * mb.graph.cos(hinge.coordinate)))
    return system, hinge


@pytest.mark.filterwarnings("ignore")  # of Dask's own
def test_a_cluster_does_what_threads_do(tmp_path):
    system, hinge = pendulum()
    eom = mb.derive(system)
    offset = 0.25
    given = {
        "parameters": {"l": [0.5, 1.0, 2.0]},
        "initial": {"angle": mb.Uniform(0.1, 1.0)},
        "draws": 8,
        "inputs": {"M": -0.1 * hinge.speed},
        "events": [mb.Event(hinge.coordinate, name="through")],
        "measures": {"highest": lambda run: run["height"].max() + offset},
        "samples": 11,
    }
    where = {"process": lambda run: os.getpid()}
    threads = mb.sweep(eom, 2.0, **given)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        runs = mb.sweep(eom, 2.0, **given, path=tmp_path / "runs", client=client)
        assert runs.status == ["DONE"] * 24
        np.testing.assert_array_equal(runs.values("angle"), threads.values("angle"))
        np.testing.assert_array_equal(runs.values("M"), threads.values("M"))
        np.testing.assert_array_equal(runs.measures["highest"], threads.measures["highest"])
        assert [len(run.occurrences) for run in runs] == [len(run.occurrences) for run in threads]
        seen = []
        again = mb.sweep(eom, 2.0, **given, path=tmp_path / "runs", client=client, progress=lambda *n: seen.append(n))
        assert again.complete
        assert not seen
        far = mb.sweep(eom, 0.1, initial={"angle": np.ones(40)}, measures=where, client=client)
        assert os.getpid() not in far.measures["process"]

        def deadly(run):
            os._exit(1)

        with refused("worker-lost"):
            mb.sweep(eom, 0.1, measures={"deadly": deadly}, client=client)
        with refused("workers-and-client"):
            mb.sweep(eom, 0.1, client=client, workers=2)
