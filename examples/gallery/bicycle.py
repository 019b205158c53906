"""Whipple's bicycle: it has no rider, it is pushed to the side at 5 m/s, and it catches itself.

Source: Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007) 1955, Table 2: at 5 m/s all poles have
negative real parts; below 4.292 m/s it weaves and falls. Lean and steer die away as the poles say.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import multibody as mb
from multibody import library

SPEED = 5.0
eom = mb.derive(library.bicycle(speed=SPEED, push=0.02))
STATES = "lean_rx", "steer", "lean_rx_dot", "steer_dot"
upright = {"lean_rx": 0.0, "steer": 0.0, "lean_rx_dot": 0.0, "steer_dot": 0.0, "rear_dot": -SPEED / 0.3}
poles = mb.linearize(eom, upright, independent=STATES).part(*STATES).poles
table = [-14.07838969279822, -0.32286642900409, -0.77534188219585 - 4.46486771378823j]
print(f"castering {poles.real.min():.9f} 1/s, in the paper {table[0]:.9f} 1/s")
assert all(min(abs(poles - one)) < 1e-11 * abs(one) for one in table)

fast = mb.simulate(eom, duration=15.0)
slow = mb.simulate(mb.derive(library.bicycle(speed=3.5, push=0.02)), duration=4.0)
late = fast.t > 12.0  # when only the slow pole, the capsize, is left
decay = np.polyfit(fast.t[late], np.log(abs(fast["lean_rx"][late])), 1)[0]
print(f"the lean decays with {decay:.4f} 1/s, capsize {table[1]:.4f} 1/s")
assert abs(decay / table[1] - 1) < 0.02
assert abs(slow["lean_rx"]).argmax() > 350
assert fast.energy_drift < 1e-6

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(fast, t=1.0, size=(400, 320)))
left.axis("off")
right.plot(fast.t, np.degrees(fast["lean_rx"]), label=f"{SPEED} m/s, pushed with 0.02 rad/s")
right.plot(slow.t, np.degrees(slow["lean_rx"]), label="3.5 m/s, pushed with 0.02 rad/s")
right.set(xlabel="t [s]", ylabel="lean [°]", xlim=(0, 6), ylim=(-3, 3))
right.legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "bicycle.png")
