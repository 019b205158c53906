"""Systems as graphs: every body and joint once, cuts dashed, nothing covers anything else."""

from itertools import combinations

import numpy as np
import pytest

import multibody as mb
from multibody.model.freeze.topology import Edge, spanning_tree
from multibody.support.tree_layout import LayoutBox, LayoutPoint, layered, routed
from multibody.view import plots


def crane():
    system = mb.System("crane")
    m = system.parameter("m")
    crab = system.body("crab", mass=10)
    load = system.body("load", mass=2 * m)
    slide = system.joint("slide", system.world, crab, "Tx")
    system.joint("swing", crab, load.frame("hook", (0, 0, 1)), mb.Revolute("y"))
    system.load(mb.Spring(system.world, crab, 10.0), name="rope")
    system.load(mb.JointLoad(slide, system.input("F")), name="drive")
    return system


def linkage():
    """Bars b1 … b4 between the world and itself, with a gear between the first two hinges."""
    system = mb.System("linkage", recognise_loops=False)
    end = system.world
    for k in range(1, 5):
        bar = system.body(f"b{k}", k, (0.5, 0, 0), (0, 0, 1))
        system.joint(f"h{k}", end, bar, "Rz", q=0.5)
        end = bar.frame(f"e{k}", (1, 0, 0))
    system.joint("h5", end, system.frame("left", (-1, 0, 0)), "Rz", cut=True)
    system.constraint(system["h1"].coordinate + 2 * system["h2"].coordinate - 1.5, name="gear")
    return system


def lines(figure):
    return {line.get_label(): line for line in figure.axes[0].lines}


def texts(figure):
    return {text.get_text().partition("\n")[0]: text for text in figure.axes[0].texts}


@pytest.mark.parametrize("form", [lambda s: s, mb.System.freeze, mb.derive])
def test_bodies_joints_loads(form):
    figure = plots.topology(form(crane()))
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert sorted(shown) == [
        "crab\n10 kg",
        "drive",
        "load\n2*m [kg]",
        "rope",
        "slide\nTx",
        "swing\nRevolute y",
        "world",
    ]
    assert sorted(lines(figure)) == ["drive", "rope", "slide", "swing"]
    assert lines(figure)["rope"].get_linestyle() == ":"
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["joint", "load"]


def test_the_world_is_at_the_top_and_layers_follow_the_tree():
    placed = {name: text.get_position() for name, text in texts(plots.topology(linkage())).items()}
    names = [f"h{k}" for k in range(1, 6)]
    ends = ["world", "b1", "b2", "b3", "b4", "world"]
    edges = [Edge(name, a, b) for name, a, b in zip(names, ends, ends[1:], strict=False)]
    tree = spanning_tree("world", ends[1:5], edges, cut=["h5"])
    for body in ends[1:5]:
        assert round((placed["world"][1] - placed[body][1]) / 1.05) == len(tree.path(body))


def test_cuts_are_dashed_and_join_their_bodies():
    figure = plots.topology(linkage())
    found, placed = lines(figure), {name: text.get_position() for name, text in texts(figure).items()}
    dashed = [name for name, line in found.items() if line.get_linestyle() == "--"]
    assert dashed == ["h5"]
    path = np.array(found["h5"].get_data()).T
    assert {tuple(np.round(path[0], 9)), tuple(np.round(path[-1], 9))} == {
        tuple(np.round(placed[name], 9)) for name in ("b4", "world")
    }
    assert "joint that closes a loop" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_constraint_between_joints():
    figure = plots.topology(linkage())
    path = np.array(lines(figure)["gear"].get_data()).T
    placed = {name: text.get_position() for name, text in texts(figure).items()}
    np.testing.assert_allclose([path[0], path[-1]], [placed["h1"], placed["h2"]])
    assert lines(figure)["gear"].get_linestyle() == "-."


def test_only_where_a_force_acts():
    """A force on the bob that is given in the world's axes does not act on the world."""
    system = mb.System("wind")
    bob = system.body("bob", 1, (0, 0, -1))
    system.joint("angle", system.world, bob, "Ry")
    system.load(mb.Force(bob, (1, 0, 0), expressed_in=system.world), name="gust")
    path = np.array(lines(plots.topology(system))["gust"].get_data()).T
    assert path[0] == pytest.approx(texts(plots.topology(system))["bob"].get_position())
    assert len(path) == 2  # a tag, no arc


def test_driven_joints_say_so():
    system = mb.System("driven")
    system.joint("turn", system.world, system.body("wheel", 1), "Rz", prescribed=2 * system.time)
    assert texts(plots.topology(system))["turn"].get_text() == "turn\nRz, driven"


@pytest.mark.parametrize("seed", range(8))
def test_no_box_covers_another(seed):
    rng = np.random.default_rng(seed)
    branches = [(int(rng.integers(k)) if k > 1 else 0, k) for k in range(1, 30)]
    widths = dict(enumerate(rng.uniform(0.5, 2.0, 30)))
    found = layered(0, branches, widths, 1.0)
    for a, b in combinations(range(30), 2):
        if found[a].y == found[b].y:
            assert abs(found[a].x - found[b].x) >= (widths[a] + widths[b]) / 2 - 1e-9
    for inner, outer in branches:
        assert found[outer].y == found[inner].y - 1
    carried = [found[outer].x for inner, outer in branches if inner == 0]
    assert found[0].x == pytest.approx((min(carried) + max(carried)) / 2)


def test_a_long_chain_is_no_recursion():
    found = layered(0, [(k, k + 1) for k in range(3000)], dict.fromkeys(range(3001), 1.0), 1.0)
    assert found[3000] == LayoutPoint(0.0, -3000.0)


def test_arcs_pass_by_what_stands_between():
    boxes = [LayoutBox(0, 0, 1, 0.4), LayoutBox(2, 0, 1, 0.4), LayoutBox(4, 0, 1, 0.4)]
    route = routed(LayoutPoint(0, 0), LayoutPoint(4, 0), (0.5, 0.2), boxes)
    points = route.points()
    np.testing.assert_allclose(points[[0, -1]], [[0, 0], [4, 0]])
    assert not ((abs(points[:, 0] - 2) < 0.5) & (abs(points[:, 1]) < 0.2)).any()
    clear = [abs(route.name.x - x) >= 0.75 or abs(route.name.y) >= 0.3 for x in (0, 2, 4)]
    assert all(clear)


def test_topology_as_a_file(tmp_path):
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    plots.topology(linkage(), path=one)
    plots.topology(linkage(), path=other)
    assert one.read_bytes() == other.read_bytes()


def test_whatever_can_be_shown_has_a_topology():
    robot = mb.read_urdf(
        '<robot name="arm"><link name="base"/><link name="tool"/>'
        '<joint name="wrist" type="continuous"><parent link="base"/><child link="tool"/></joint></robot>'
    )
    assert "wrist" in "".join(text.get_text() for text in plots.topology(robot).axes[0].texts)
