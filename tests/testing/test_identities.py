"""The identities hold for all formalisms and all flavours of random systems, and each of them can fail."""

from dataclasses import replace

import pytest
from tests.refusal import refused
from tests.unchecked_loads import derive_unchecked

from multibody.formalisms import Recursive, derive
from multibody.graph import array, cos
from multibody.graph.derivative import _PARTIALS
from multibody.model import Free, Spherical, Spring, System
from multibody.testing import identities as i, random_arguments, random_floating_system, random_system, random_tree

from .samples import FLAVOURS, FORMALISMS, SEEDS, equations, model

OF_THE_FORMALISM = [
    i.inverse_undoes_forward,
    i.constraints_stay,
    i.forms_agree,
    i.mass_matrix_is_symmetric_and_positive,
    i.mass_matrix_gives_the_kinetic_energy,
    i.inertia_forces_follow_from_the_mass_matrix,
    i.power_balances,
]
OF_THE_MODEL = [i.potentials_give_their_forces, i.derivatives_agree]
VARIANTS = [i.renaming_changes_nothing, i.flipping_changes_nothing, i.shuffling_changes_nothing]

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


@pytest.fixture(scope="module", autouse=True)
def _forgotten():
    """Equations are not kept any longer than they are needed."""
    yield
    equations.cache_clear()
    model.cache_clear()


def cases(most):
    """Every formalism with its seeds, but not with more than so many."""
    pairs = [(name, seed) for name, seeds in SEEDS.items() for seed in seeds if seed < most]
    return pytest.mark.parametrize(("formalism", "seed"), pairs)


@cases(12)
@flavours
def test_identities_of_a_formalism(formalism, flavour, seed):
    for identity in OF_THE_FORMALISM:
        identity(equations(flavour, seed, formalism), seed)


@pytest.mark.parametrize("seed", range(6))
@flavours
def test_identities_of_a_model(flavour, seed):
    for identity in OF_THE_MODEL:
        identity(equations(flavour, seed, "recursive"), seed)


@cases(12)
def test_identities_of_a_system_in_free_flight(formalism, seed):
    eom = equations("floating", seed, formalism)
    i.momentum_is_conserved(eom, seed)
    i.rerooting_changes_nothing(eom, FORMALISMS[formalism], seed)


@cases(1)
@pytest.mark.parametrize("flavour", ["loaded", "driven"])
def test_how_a_mechanism_is_described_does_not_matter(formalism, flavour, seed):
    for identity in VARIANTS:
        identity(equations(flavour, seed, formalism), FORMALISMS[formalism], seed)


def test_nothing_is_forgotten():
    assert set(OF_THE_FORMALISM + OF_THE_MODEL) == set(i.IDENTITIES)
    drives = [joint for seed in range(12) for joint in model("driven", seed).joints if joint.prescribed is not None]
    assert len(drives) > 5
    assert all(i.equations.speeds_are_rates(model("chain", seed)) for seed in range(12))


# each identity can fail --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sound():
    return derive(random_system(4, 3, prescribed=0), Recursive())


@pytest.fixture(scope="module")
def floating():
    return equations("floating", 1, "recursive")


def too_fast(eom):
    """The last acceleration is wrong by a thousandth."""
    *others, last = eom.acceleration
    return replace(eom, acceleration=(*others, last * 1.001))


def heavier(M, h, f):
    M = M.copy()
    M[-1, -1] = M[-1, -1] * 1.001
    return M, h, f


def lopsided(M, h, f):
    M = M.copy()
    M[0, 1] = M[0, 1] + 1e-6
    return M, h, f


def indefinite(M, h, f):
    return -M, h, f


@pytest.mark.parametrize("identity", [i.inverse_undoes_forward, i.forms_agree, i.power_balances])
def test_a_wrong_acceleration_is_found(sound, identity):
    identity(sound, 3)
    with pytest.raises(AssertionError, match=r"(?s)System 'tree' by Recursive: .* is not .*at t = .*, j1 = "):
        identity(too_fast(sound), 3)


@pytest.mark.parametrize("identity", VARIANTS)
def test_a_wrong_acceleration_is_found_by_another_description(sound, identity):
    with pytest.raises(AssertionError, match=r"acceleration of b\d, also with"):
        identity(too_fast(sound), Recursive(), 3)


def test_a_wrong_acceleration_is_found_in_free_flight(floating):
    with pytest.raises(AssertionError, match="System 'floating' by Recursive: d/dt of momentum"):
        i.momentum_is_conserved(too_fast(floating), 3)
    with pytest.raises(AssertionError, match=r"acceleration of b\d, also with b2 as root"):
        i.rerooting_changes_nothing(too_fast(floating), Recursive(), 3)


@pytest.mark.parametrize(
    ("identity", "change", "message"),
    [
        (i.forms_agree, heavier, "combined form"),
        (i.mass_matrix_is_symmetric_and_positive, lopsided, "transpose"),
        (i.mass_matrix_is_symmetric_and_positive, indefinite, "eigenvalues"),
        (i.mass_matrix_gives_the_kinetic_energy, heavier, "½·uᵀ·M·u and T"),
        (i.inertia_forces_follow_from_the_mass_matrix, lambda M, h, f: (M, h * 1.001, f), "½·uᵀ·Ṁ·u"),
        (i.inertia_forces_follow_from_the_mass_matrix, lambda M, h, f: (M, h + powerless(h), f), "h and C·u"),
    ],
)
def test_wrong_matrices_are_found(identity, change, message):
    eom = equations("chain", 3, "recursive")
    identity(eom, 3)
    with pytest.raises(AssertionError, match=f"System 'tree' by Recursive: .*{message}"):
        identity(replace(eom, implicit=lambda: change(eom.M, eom.h, eom.f)), 3)


def powerless(h):
    """A force that is quadratic in the speeds and at right angles to them."""
    first, second, *others = equations("chain", 3, "recursive").speeds
    return array([first * second, -first * first] + [0] * len(others))


def test_a_wrong_potential_is_found(sound):
    class Boastful(Spring):
        def potential(self, kinematics):
            return super().potential(kinematics) * 1.001

    system = random_tree(2, 2)
    system.load(Boastful(system.world, system["b2"].frame("tip", (1, 2, 3)), 5, 0.5), "boastful")
    with pytest.raises(AssertionError, match="potential of boastful, Boastful"):
        i.potentials_give_their_forces(derive_unchecked(system), 1)


def test_a_load_that_is_not_what_it_says_is_found():
    """Its reaction acts somewhere else, so that angular momentum is not conserved."""

    class Crooked(Spring):
        def forces(self, kinematics):
            for frame, force in super().forces(kinematics):
                yield frame, force.referred_to((0.1, 0, 0))

    system = random_floating_system(2, 2, loads=0)
    system.load(Crooked(system["b1"], system["b2"].frame("tip", (1, 2, 3)), 5))
    with pytest.raises(AssertionError, match="momentum"):
        i.momentum_is_conserved(derive_unchecked(system), 1)


def test_a_wrong_rule_of_differentiation_is_found(monkeypatch):
    system = random_tree(1, 2, [lambda rng: "Ry"], chain=True)
    with monkeypatch.context() as patch:
        patch.setitem(_PARTIALS, "sin", lambda node: (cos(node.args[0]) * 1.001,))
        with pytest.raises(AssertionError, match="∂u̇ forward and by complex step"):
            i.derivatives_agree(derive(system, Recursive()), 1)
    i.derivatives_agree(derive(system, Recursive()), 1)


def test_wrong_constraint_forces_are_found():
    system = random_tree(1, 2, [lambda rng: "Ry"], chain=True)
    system.constraint(system["j1"].coordinate + 2 * system["j2"].coordinate, name="gears")
    eom = derive(system, Recursive())
    for identity in i.IDENTITIES:
        identity(eom, 1)
    for variant in VARIANTS:
        variant(eom, Recursive(), 1)
    (force,) = eom.multiplier_values
    stronger = replace(eom, multiplier_values=(force * 1.001,))
    for identity in (i.inverse_undoes_forward, i.forms_agree, i.power_balances):
        with pytest.raises(AssertionError):
            identity(stronger, 1)
    with pytest.raises(AssertionError, match="B·u̇ and -γ"):
        i.constraints_stay(too_fast(eom), 1)


# what they take ----------------------------------------------------------------------------------------------------


def test_arguments_may_be_given(sound):
    arguments = random_arguments(sound.model, 8)
    for identity in i.IDENTITIES:
        identity(sound, arguments)
    with pytest.raises(AssertionError, match=f"t = {arguments.t:.6g}, "):
        i.forms_agree(too_fast(sound), arguments)


def test_a_system_on_the_ground_has_no_constant_momentum(sound):
    with refused("system-not-floating"):
        i.momentum_is_conserved(sound)
    falling = System("falling")
    falling.joint("flight", falling.world, falling.body("stone", 1, inertia=(1, 1, 1)), Free())
    with refused("system-not-floating"):
        i.rerooting_changes_nothing(derive(falling), Recursive())


def test_closed_loops_have_no_other_descriptions():
    system = random_tree(1, 2, [lambda rng: "Ry"], chain=True)
    system.joint("loop", system.world, system["b2"].frame("end", (1, 1, 1)), Spherical())
    with refused("system-without-variants"):
        i.renaming_changes_nothing(derive(system, Recursive()), Recursive())
