"""Spatial slider-crank: a rod between a crank and a slider, with a ball joint and a universal joint at its ends.

Crank axis and slider are parallel and apart, so nothing here is planar. The loop is closed by equations. The place of
the slider is x = √(L² - y² - z²) with the crank pin at (0, y, z). The rod is modelled a second time as nothing but a
constant distance between crank pin and slider: with all its mass in its ends that must be the same machine.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb

RADIUS, ROD, BEARING = 0.08, 0.30, (0.0, 0.10, 0.12)
HALF = 0.25  # kg at each end of the rod


def machine(name: str) -> tuple[mb.System, mb.Frame, mb.Body]:
    """Crank and slider, not yet connected, with the crank pin."""
    system = mb.System(name, gravity=(0, 0, -9.81))
    crank = system.body("crank", 0.12, (0, 0, RADIUS / 2), (1e-4, 1e-4, 1e-5))
    slider = system.body("slider", 2.0, inertia=(1e-4, 1e-4, 1e-4))
    system.joint("drive", system.frame("bearing", BEARING), crank, "Rx")
    system.joint("stroke", system.world, slider, "Tx", q=0.2)
    return system, crank.frame("pin", (0, 0, RADIUS)), slider


# 1. The rod as a body: four joints, one loop, 1 + 3 + 2 + 1 - 6 = 1 degree of freedom.
jointed, pin, slider = machine("spatial_slider_crank")
ends = (2 * HALF * (ROD / 2) ** 2,) * 2
rod = jointed.body("rod", 2 * HALF, (ROD / 2, 0, 0), (0, *ends))
jointed.joint("ball", pin, rod, mb.Spherical())
jointed.joint("cross", rod.frame("end", (ROD, 0, 0)), slider, mb.Universal("z", "y"))
print(jointed.analyse(), end="\n\n")

# 2. The rod as a distance, and its mass as two particles.
held, held_pin, held_slider = machine("with_a_distance")
held.constraint(mb.DistanceConstraint(held_pin, held_slider, ROD), name="rod")
held.joint("pin_mass", held_pin, held.particle("first_half", HALF), mb.Weld())
held.joint("slider_mass", held_slider, held.particle("second_half", HALF), mb.Weld())

# 3. Move both; the start of the crank is given by name, so that it is kept and the rest of the loop follows.
start = {"q": {"drive": 0.0}, "u": {"drive_dot": 6.0}}
run, other = (mb.simulate(mb.derive(system), duration=3.0, **start) for system in (jointed, held))
y, z = BEARING[1] - RADIUS * np.sin(run["drive"]), BEARING[2] + RADIUS * np.cos(run["drive"])
off = abs(run["stroke"] - np.sqrt(ROD**2 - y**2 - z**2)).max()
apart = abs(run["drive"] - other["drive"]).max()
print(f"slider off the formula by {off:.0e} m over {run['drive'][-1] / (2 * np.pi):.1f} turns")
print(f"crank of the other model off by {apart:.0e} rad, energy drift {run.energy_drift:.0e}, {other.energy_drift:.0e}")
assert off < 1e-12
assert apart < 1e-5
assert max(run.energy_drift, other.energy_drift) < 1e-6

# 4. Draw.
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 0.6, 4), size=(400, 320)))
left.axis("off")
right.plot(np.degrees(run["drive"]) % 360, run["stroke"], ".", markersize=3)
right.set(xlabel="crank [°]", ylabel="slider [m]", xticks=range(0, 361, 90))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "spatial_slider_crank.png")
