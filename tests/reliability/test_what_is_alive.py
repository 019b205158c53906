"""Programs, exports and numbers are the same to the last bit, whatever else is alive in a process.

Expressions are found by their value, so that one which is alive could take the place of another way to write it.
"""

import pytest

from .children import said

MADE = """
import hashlib, random, sys
from pathlib import Path
from tempfile import TemporaryDirectory
import multibody as mb
from multibody.compiler import engine
from multibody.graph import cos, sin
from multibody.linearization.derivatives.sparse_jacobians import jacobians
from multibody.simulation.problem import sample_functions as probes
from small_models import FORMALISMS, crane, pendulum

def bar(name="bar"):
    system = mb.System(name, gravity=(0, -9.81, 0))
    length, k, m = system.parameters(length=0.9, k=40.0, mB=2.0)
    crank = system.body("crank", 1.0, (0.15, 0, 0), (0, 0, 0.01))
    coupler = system.body("coupler", m, (length / 2, 0, 0), (0, 0, 0.1))
    rocker = system.body("rocker", 1.5, (0.3, 0, 0), (0, 0, 0.05))
    system.joint("a", system.world, crank, "Rz", guess=1.0)
    system.joint("b", crank.frame("tip", (0.3, 0, 0)), coupler, "Rz", guess=-0.8)
    joint = system.joint("c", system.frame("foot", (1.0, 0, 0)), rocker, "Rz", guess=1.8)
    system.joint("d", coupler.frame("end", (length, 0, 0)), rocker.frame("top", (0.6, 0, 0)), "Rz")
    system.load(mb.JointSpring(joint, k, 1.5))
    system.load(mb.JointDamper(joint, 0.3))
    system.sensor("place", mb.Position(coupler))
    system.sensor("felt", mb.Acceleration(rocker))
    system.sensor("force", mb.ConstraintForce(joint))
    return system

FREE = {"l", "mB"}  # what keeps the constraints whatever it is
MODELS = {"crane": crane, "bar": bar, "cut": bar, "bicycle": mb.library.bicycle}

def equations(name):
    return mb.derive(MODELS[name](), constraints=mb.Multipliers() if name == "cut" else None)

def digest(*parts):
    return hashlib.sha256("\\0".join(map(str, parts)).encode()).hexdigest()[:16]

def run(eom):
    inputs = {one.name: 3 * sin(eom.model.time) for one in eom.inputs}
    return mb.simulate(eom, 0.1, samples=5, inputs=inputs, integrator=mb.DormandPrince5())

def linear(eom):
    found = mb.linearize(eom)
    return *(one.tobytes() for one in (found.A, found.B, found.C)), mb.linearize(eom).A.tobytes()

def symbolic(eom):
    free = [one.name for one in eom.parameters if one.name in FREE]
    found = mb.linearize_symbolic(eom, free=free)
    return found.at(**{one: 0.8 for one in free}).A.tobytes(), found.function.operations, found

def slopes(eom):
    found = jacobians(eom)
    return [one.values.operations for one in (found.q, found.u)]

def written(eom):
    with TemporaryDirectory() as folder:
        mb.export(eom, mb.C(), folder)
        return [(one.name, one.read_text()) for one in sorted(Path(folder).rglob("*")) if one.is_file()]

def energies(eom):
    return str(eom.kinetic_energy), str(eom.potential_energy), eom.mass_matrix.operations

def steady(eom):
    return eom.forward_dynamics.operations, eom.inverse_dynamics.operations

def read(eom):
    names = ["rates", "energies", "powers", "residuals", *["sensors"] * bool(eom.outputs)]
    for name in names:  # compiled anew, whatever has been read before
        eom._made.pop(("sample function", name), None)
    return [probes.probe(eom, name).llvm for name in names]

VERBS = {one.__name__: one for one in (run, linear, symbolic, slopes, written, energies, steady, read)}

def fact(name, verb, eom):
    programs, build = [], engine.build
    engine.build = lambda *given: programs.append(given[0]) or build(*given)
    try:
        found = VERBS[verb](eom)
    finally:
        engine.build = build
    shown = found.y.tobytes() if verb == "run" else found[:2] if verb == "symbolic" else found
    if verb == "run":
        programs = programs[:3]  # what moves the state; ``read`` compares what is read off it afterwards
    print(name, verb, digest(shown), len(programs), digest(*programs), flush=True)
    return found

chosen = sys.argv[1].split(",")
"""
EACH_ALONE = """
for name in chosen:
    for verb in VERBS:
        fact(name, verb, equations(name))
"""
AFTER_OTHERS = """
class Silent:
    write = flush = staticmethod(lambda *texts: None)

rng, held, output = random.Random(int(sys.argv[2])), [], sys.stdout
sys.stdout = Silent
for name in chosen:  # the same models, with their symbols and all that is made of them
    for formalism in (None, mb.Kane(), mb.Lagrange()):
        model = MODELS[name]()
        eom = mb.derive(model, formalism)
        held += [model, eom, eom.M, eom.h, eom.kinetic_energy, mb.linearize_symbolic(eom)]
        held += [eom.acceleration[0] * eom.acceleration[0], 1 / (1 + eom.acceleration[-1])]
        held += [sin(eom.coordinates[0]), -eom.speeds[0]]
        held += [fact(name, verb, eom) for verb in ("linear", "slopes", "symbolic")]
sys.stdout = output
for name in chosen:
    verbs = list(VERBS)
    rng.shuffle(verbs)
    eom = equations(name)  # one for all verbs, in any order
    for verb in verbs:
        held.append(fact(name, verb, eom))
"""


@pytest.mark.parametrize("models", ["crane,cut", "bar,bicycle"])
def test_nothing_depends_on_what_is_alive(models):
    plain = sorted(said(MADE + EACH_ALONE, models).splitlines())
    assert len(plain) >= 7
    assert sorted(said(MADE + AFTER_OTHERS, models, 1).splitlines()) == plain
