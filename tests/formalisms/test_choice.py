"""The choice of a formalism by expected operations, with and without constraints."""

import pytest

import multibody as mb

from . import mechanisms


def pinned_chain(count, axes=("Ry",), held="xz"):
    """Links of 1 m in a row whose last end is pinned to the world."""
    system = mb.System(f"chain{count}", gravity=(0, 0, -9.81))
    end = system.world
    for k in range(count):
        bar = system.body(f"bar{k}", 1.0, (0, 0, -0.5), (0.1, 0.1, 0.01))
        system.joint(f"hinge{k}", end, bar, axes[k % len(axes)], guess=0.1 * (-1) ** k)
        end = bar.frame(f"end{k}", (0, 0, -1))
    system.constraint(system.frame("nail", (0.5 * count, 0, -0.2)), end, translation=held, name="pin")
    return system


def operations(eom):
    return sum(eom.forward_dynamics.operations.values())


def test_a_long_pinned_chain_is_cheap_by_default():
    eom = mb.derive(pinned_chain(60))
    assert eom.formalism == "ArticulatedBody"
    assert operations(eom) < 400 * 60  # linear in the number of links; by Recursive about 110,000


@pytest.mark.parametrize(
    "build",
    [
        lambda: pinned_chain(3), lambda: pinned_chain(8), lambda: pinned_chain(16),
        lambda: pinned_chain(10, ("Rx", "Ry"), "xyz"), lambda: mechanisms.n_four_bar(3), mechanisms.andrews,
        mechanisms.bicycle, mechanisms.stewart_platform, lambda: mb.library.spatial_four_bar(),
    ],
)  # fmt: skip
def test_the_choice_is_never_worse_than_recursive(build):
    system = build()
    assert operations(mb.derive(system)) <= operations(mb.derive(system, mb.Recursive()))


def test_the_choice_agrees_with_recursive():
    chosen, recursive = mb.derive(pinned_chain(20)), mb.derive(pinned_chain(20), mb.Recursive())
    state = recursive.consistent()
    arguments = (0.0, state.q, state.u, [], [])
    assert chosen.formalism == "ArticulatedBody"
    assert chosen.forward_dynamics(*arguments) == pytest.approx(
        recursive.forward_dynamics(*arguments), rel=1e-7, abs=1e-7
    )


def test_strategies_that_need_a_mass_matrix_keep_recursive():
    chain = pinned_chain(20)
    assert mb.derive(chain, constraints=mb.IndependentSpeeds()).formalism == "Recursive"
    assert mb.derive(chain, constraints=mb.Multipliers(softness=1e-9)).formalism == "Recursive"
