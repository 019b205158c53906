"""Models that are derived in a moment; children import them, too."""

import multibody as mb
from multibody.graph import sin

FORMALISMS = (mb.Recursive(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange(), mb.ArticulatedBody(), mb.Wittenburg())


def pendulum(name="pendulum", length=1.5):
    system = mb.System(name, gravity=(0, 0, -9.81))
    (mass,) = system.parameters(m=2.0)
    system.joint("angle", system.world, system.body("bob", mass, (0, 0, -length)), "Ry", q=1.0)
    return system


def crane(name="crane", links=2):
    """A cart that is pulled, with rods below it."""
    system = mb.System(name, gravity=(0, 0, -9.81))
    (length,) = system.parameters(l=0.7)
    cart = end = system.body("cart", 3.0)
    system.joint("x", system.world, cart, "Tx", q=0.3)
    system.load(mb.PointToPointForce(system.world, cart, system.input("F")))
    for k in range(links):
        rod = system.body(f"rod{k}", 1 + k / 3, (0, 0, -length / 2), mb.diag(0.1, 0.1, 0.01))
        system.joint(f"q{k}", end, rod, "Rx" if k % 2 else "Ry", q=0.4 + 0.1 * k)
        end = rod.frame(f"tip{k}", (0, 0, -length))
    system.sensor("tip", mb.Position(end))
    return system


def moved(eom, duration=0.5):
    """A run of a crane."""
    return mb.simulate(eom, duration, samples=11, inputs={"F": 3 * sin(eom.model.time)})


def numbers(eom):
    """A run, a sensor, a matrix and a linear system, as bytes."""
    run = moved(eom)
    M = eom.mass_matrix(0.0, run.q[-1], run.u[-1], [0.0], [0.7])
    return run.y.tobytes() + run["tip"].tobytes() + M.tobytes() + mb.linearize(eom).A.tobytes()
