"""Momenta and energies: a rigid body and a particle turn about an axis; what they have is printed as expressions.

Source: SymPy's documentation, "Using momenta functions" and "Using energy functions in Mechanics": the angular momentum
is (M·l² + 4·m·l² + 1)·ω, the kinetic energy half of it times ω.
"""

import sys

import matplotlib.pyplot as plt

import multibody as mb
from multibody.graph import closed_form, same

system = mb.System("momenta", gravity=(0, 0, 0))
m, M, l = system.parameters(m=1.0, M=2.0, l=0.5)
torque = system.input("torque")
body, point = system.body("A", M, (l, 0, 0), (0, 0, 1)), system.particle("Pa", m)
turn = system.joint("q", system.world, body, "Rz")
system.joint("weld", body.frame("end", (2 * l, 0, 0)), point, mb.Weld())
system.load(mb.JointLoad(turn, torque))
system.sensor("L", mb.AngularMomentum(body, point, about=system.world))
system.sensor("p", mb.LinearMomentum(body, point, expressed_in=body))
system.sensor("T", mb.KineticEnergy(body, point))
system.draw(body, mb.Box(0.8, 0.1, 0.1), position=(0.5, 0, 0))
system.draw(point, mb.Sphere(0.12))

eom, w = mb.derive(system), turn.speed
print(f"L = {closed_form(eom.outputs['L'][2])}, T = {closed_form(eom.outputs['T'])}")
assert same(eom.outputs["L"][2], (M * l**2 + 4 * m * l**2 + 1) * w)
assert same(eom.outputs["p"][1], (M * l + 2 * m * l) * w)
assert same(eom.outputs["T"], (M * l**2 + 4 * m * l**2 + 1) * w**2 / 2)

run = mb.simulate(eom, duration=3.0, inputs={"torque": 0.5})
assert abs(run["L"][:, 2] - 0.5 * run.t).max() < 1e-9  # what the torque has given
assert abs(run["T"] - (0.5 * run.t) ** 2 / 2 / 2.5).max() < 1e-9

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.imshow(mb.picture(run, t=[0.0, 1.5, 2.2, 2.7, 3.0], size=(400, 300)))
left.axis("off")
right.plot(run.t, run["L"][:, 2], label="L [kg·m²/s]")
right.plot(run.t, run["T"], label="T [J]")
right.set(xlabel="t [s]", xlim=(0, 3))
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "momenta_and_energies.png")
