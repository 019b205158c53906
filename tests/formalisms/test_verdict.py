"""A comparison reports whatever differs, be it one entry of one quantity; and says whom it does not speak of."""

from dataclasses import fields, replace

import pytest

import multibody as mb
from multibody.algebra import ForceMotor
from multibody.formalisms import EquationsOfMotion, Recursive
from multibody.graph import substitute


def branched():
    """A tree with two branches, a ball joint, a spring and sensors of three kinds."""
    system = mb.System("branched", gravity=(0, 0, -9.81))
    m, l, k = system.parameters(m=2.0, l=0.5, k=30.0)
    upper = system.body("upper", m, (0, 0, -l), (0.1, 0.2, 0.3))
    lower = system.body("lower", m, (0, 0, -l), (0.3, 0.1, 0.2))
    top = system.body("top", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
    system.joint("shoulder", system.world, upper, "Ry", q=0.3)
    elbow = system.joint("elbow", upper.frame("end", (0, 0, -2 * l)), lower, "Rx", q=0.2)
    system.joint("neck", upper, top, mb.Spherical())
    system.load(mb.JointSpring(elbow, k))
    tip = lower.frame("tip", (0, 0, -2 * l))
    system.sensor("place", mb.Position(tip))
    system.sensor("speed", mb.Velocity(tip))
    system.sensor("energy", mb.Energy())
    return system


def looped():
    """A four-bar linkage, whose loop is closed by constraints with multipliers; a sensor at its coupler."""
    system = mb.System("looped", gravity=(0, 0, -9.81))
    crank, coupler, rocker = (system.body(name, 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)) for name in ("crank", "bar", "rod"))
    system.joint("a", system.world, crank, "Ry", q=-1.0)
    system.joint("b", crank.frame("pin", (1, 0, 0)), coupler, "Ry", q=0.9)
    system.joint("d", system.world.frame("base", (2, 0, 0)), rocker, "Ry", q=-1.4)
    system.joint("c", coupler.frame("end", (2, 0, 0)), rocker.frame("tail", (1.2, 0, 0)), "Ry")
    system.sensor("middle", mb.Acceleration(coupler))
    return system


class Changed(Recursive):
    """Right equations, with a change."""

    def __init__(self, change):
        self.change = change

    def derive(self, model, handling=None):
        return self.change(super().derive(model, handling))

    def __repr__(self):
        return "Changed()"


def with_cached(eom, **values):
    """The equations with other values of cached properties."""
    other = replace(eom)
    vars(other).update(kinetics=eom.kinetics, **values)
    return other


def with_class(eom, **members):
    """The equations with other methods and properties."""
    kind = type("Other", (EquationsOfMotion,), members)
    return kind(**{one.name: getattr(eom, one.name) for one in fields(eom)}, known={"kinetics": eom.kinetics})


def verdict(system, change, **named):
    """What is reported if the change is made; it must be reported as a difference, whatever it is."""
    handling = named.get("constraints")
    for pair in ([mb.Kane(), Changed(change)], [Changed(change), mb.Kane()]):
        found = mb.compare(system, pair, constraints=handling)
        assert not found.proved
        assert not found.agree()
        assert found.pairs[0].unproved == found.proved.unproved
        assert found.pairs[0].difference > 1e-10
        assert all(name in str(found) for name in found.proved.unproved)
    return set(found.proved.unproved)


def changed_entry(values, k):
    """All values, one of them larger by a millionth."""
    return tuple(value * (1 + 1e-6) if k == j else value for j, value in enumerate(values))


def test_nothing_is_reported_where_nothing_differs():
    for system in (branched(), looped()):
        found = mb.compare(system, [mb.Kane(), Changed(lambda eom: eom), Changed(replace), Changed(with_class)])
        assert found.proved
        assert len(found.pairs) == 6
        assert found.proved.unproved == ()


@pytest.mark.parametrize("k", range(5))
def test_one_acceleration(k):
    reported = verdict(branched(), lambda eom: replace(eom, acceleration=changed_entry(eom.acceleration, k)))
    names = [one.name for one in branched().freeze().accelerations]
    assert reported == {f"acceleration {names[k]}"}


@pytest.mark.parametrize("k", range(6))
def test_one_rate(k):
    """The quaternion of a ball joint has four rates; the hinges have one each."""
    names = [one.name for one in branched().freeze().coordinates]
    assert len(names) == 6
    change = {"rates": property(lambda eom: changed_entry(eom.model.rates, k))}
    assert verdict(branched(), lambda eom: with_class(eom, **change)) == {f"rate of {names[k]}"}


@pytest.mark.parametrize("handling", [mb.Multipliers(), mb.IndependentSpeeds()], ids=str)
def test_constraint_forces_only(handling):
    """Of every speed that the equation with the changed multiplier has a part of, also of the last one."""
    changed = set()

    def change(eom):
        assert len(eom.multiplier_values) == len(eom.constraints)
        acting = eom.constraints.acting[-1]
        columns = zip(eom.speeds, eom.B[acting], strict=True)
        changed.update(f"constraint force on {u.name}" for u, entry in columns if entry.fp != 0)
        return replace(eom, multiplier_values=changed_entry(eom.multiplier_values, acting))

    assert verdict(looped(), change, constraints=handling) == changed
    assert len(changed) > 1


@pytest.mark.parametrize("name", ["place", "speed", "energy"])
def test_one_sensor(name):
    def change(eom):
        return with_cached(eom, outputs={**eom.outputs, name: eom.outputs[name] * (1 + 1e-6)})

    assert verdict(branched(), change) == {f"sensor '{name}'"}


@pytest.mark.parametrize("entry", range(3))
def test_one_entry_of_one_sensor(entry):
    def change(eom):
        value = eom.outputs["speed"].copy()
        value[entry] = value[entry] + 1e-3
        return with_cached(eom, outputs={**eom.outputs, "speed": value})

    assert verdict(branched(), change) == {"sensor 'speed'"}


def test_a_sensor_of_accelerations():
    def change(eom):
        return with_cached(eom, outputs={"middle": eom.outputs["middle"] * 2})

    assert verdict(looped(), change) == {"sensor 'middle'"}


@pytest.mark.parametrize("name", ["kinetic_energy", "potential_energy"])
def test_one_energy(name):
    def change(eom):
        return with_cached(eom, **{name: getattr(eom, name) * (1 + 1e-6)})

    assert verdict(branched(), change) == {name.replace("_", " ")}


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize(("build", "joint"), [(branched, "neck"), (branched, "shoulder"), (looped, "c")])
def test_one_reaction(build, joint, part):
    """Of a joint of the tree, and of the one that closes the loop: the force, or the moment."""

    def other(eom, which):
        right = EquationsOfMotion.reaction(eom, which)
        if getattr(which, "name", which) != joint:
            return right
        parts = [right.resultant, right.moment]
        return ForceMotor(*(one + mb.Vec3(0, 0, 1e-3) if k == part else one for k, one in enumerate(parts)))

    assert verdict(build(), lambda eom: with_class(eom, reaction=other)) == {f"reaction of '{joint}'"}


def test_two_quantities_are_both_reported():
    def change(eom):
        outputs = {**eom.outputs, "place": eom.outputs["place"] * 2, "speed": eom.outputs["speed"] * 2}
        return with_cached(eom, outputs=outputs)

    assert verdict(branched(), change) == {"sensor 'place'", "sensor 'speed'"}


def test_one_pair_that_differs_among_pairs_that_agree():
    """Wherever the formalism that differs stands in the list."""
    wrong = Changed(lambda eom: with_cached(eom, kinetic_energy=eom.kinetic_energy * 2))
    for place in range(3):
        formalisms = [mb.Kane(), mb.Recursive()]
        formalisms.insert(place, wrong)
        found = mb.compare(branched(), formalisms)
        assert [pair.proved for pair in found.pairs].count(True) == 1
        assert not found.proved
        assert not found.agree()
        assert found.proved.unproved == ("kinetic energy",)


def test_speeds_of_the_users_choice_do_not_hide_a_difference():
    system = branched()
    speeds = system.freeze().speeds
    chosen = {"w1": speeds[0] + 2 * speeds[1], "w2": speeds[1] - speeds[0]}
    found = mb.compare(system, [mb.Recursive(), mb.Kane(chosen)])
    assert found.proved
    assert {name.split()[0] for name in found.compared} == {
        "acceleration", "rate", "kinetic", "potential", "sensor", "reaction",
    }  # fmt: skip

    class Wrong(mb.Kane):
        def derive(self, model, handling=None):
            eom = super().derive(model, handling)
            return with_cached(eom, outputs={**eom.outputs, "speed": eom.outputs["speed"] * 1.001})

    found = mb.compare(system, [mb.Recursive(), Wrong(chosen)])
    assert found.proved.unproved == ("sensor 'speed'",)
    assert found.pairs[0].difference == pytest.approx(1e-3)


def test_a_quantity_that_is_right_only_for_the_true_accelerations_is_proved_by_them():
    """A formalism may say what a joint transmits without u̇."""

    def other(eom, which):
        right = EquationsOfMotion.reaction(eom, which)
        known = dict(zip(eom.model.accelerations, eom.acceleration, strict=True))
        parts = substitute([*right.resultant, *right.moment], known)
        return ForceMotor(mb.Vec3(*parts[:3]), mb.Vec3(*parts[3:]))

    found = mb.compare(branched(), [mb.Kane(), Changed(lambda eom: with_class(eom, reaction=other))])
    assert found.proved


def test_what_differs_where_only_the_second_point_sees_it():
    """Equal fingerprints at the first point are no proof."""

    def change(eom):
        first, *others = eom.acceleration
        forged = first + eom.speeds[-1]
        forged.fp = first.fp
        return replace(eom, acceleration=(forged, *others))

    found = mb.compare(branched(), [mb.Recursive(), Changed(change)])
    assert not found.proved.holds


# --- whom it does not speak of ---------------------------------------------------------------------------------------


def _gears():
    system = mb.System("gears")
    a, b = (system.joint(n, system.world, system.body(n + "_w", 1, (0, 0, 0), (1, 1, 1)), "Rz") for n in "ab")
    system.loop(mb.Transmission(a, b, 2))
    return system


def test_the_proof_names_the_formalisms_that_refused_and_why():
    found = mb.compare(_gears(), [mb.Kane(), mb.ArticulatedBody(), mb.Lagrange()])
    assert found.proved
    assert found.proved == True  # noqa: E712 - it compares as a truth value does
    assert list(found.proved.refused) == list(found.refused) == ["ArticulatedBody"]
    why = found.proved.refused["ArticulatedBody"]
    assert why == found.derivations[1].refusal != ""
    assert str(found.proved) == f"True, refused by ArticulatedBody: {why}"
    assert f"refused by ArticulatedBody: {why}" in str(found)


def test_one_formalism_alone_proves_nothing():
    found = mb.compare(_gears(), [mb.Kane(), mb.ArticulatedBody()])
    assert not found.proved
    assert found.proved == False  # noqa: E712
    assert found.compared == ()
    assert list(found.proved.refused) == ["ArticulatedBody"]


def test_without_refusals_the_proof_reads_as_a_truth_value():
    found = mb.compare(branched(), [mb.Kane(), mb.Lagrange()])
    assert (str(found.proved), found.proved.refused) == ("True", {})
    assert hash(found.proved) == hash(True)
    assert found.proved != "True"


def test_loops_that_have_a_closed_form_are_compared_as_constraints_where_that_is_asked_for():
    for handling in (mb.Multipliers(), mb.IndependentSpeeds()):
        found = mb.compare(looped(), [mb.Kane(), mb.Lagrange(), mb.Recursive()], constraints=handling)
        assert found.proved
        assert any(name.startswith("constraint force on ") for name in found.compared)
    assert looped().freeze().unreduced is not None
    assert not any(name.startswith("constraint force on ") for name in mb.compare(looped()).compared)
