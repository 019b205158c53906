"""Stewart platform: six legs carry a platform; their lengths in a pose, and the force that each needs at rest.

Source: Stewart, Proc. Inst. Mech. Eng. 180 (1965) 371; dimensions of our own. A leg is ‖p + R·b - a‖ long, and at rest
6·F·dl/dz = dV/dz, with the weights of the legs at 0.3 m from their ends.
"""

import sys

import numpy as np
from scipy.spatial.transform import Rotation

import multibody as mb
from multibody import library

eom = mb.derive(library.stewart_platform())
legs = range(6)
low, high = (np.radians([60 * k + side * (-1) ** k for k in legs]) for side in (20, 10))
feet = 1.0 * np.column_stack([np.cos(low), np.sin(low), 0 * low])
heads = 0.6 * np.column_stack([np.cos(high), np.sin(high), 0 * high])

place, turn = np.array([0.1, -0.05, 1.1]), Rotation.from_euler("XYZ", (0.2, -0.1, 0.3))
names = [one.name for one in eom.coordinates]
pose = dict(zip(names, [*place, *turn.as_quat()[[3, 0, 1, 2]]], strict=True))
state = eom.consistent(pose, fixed=names)
shown = eom.sensors(0.0, state.q, state.u, [0.0] * 6, list(eom.model.parameter_values().values()))
lengths = np.array([getattr(shown, f"leg{k}")[0] for k in legs])
assert np.allclose(lengths, np.linalg.norm(place + turn.apply(heads) - feet, axis=1), rtol=1e-12)

still = [one.name for one in (*eom.coordinates, *eom.speeds)]
force = mb.equilibrium(eom, fixed=still, free=[f"force{k}" for k in legs])["force3"]
offset = np.linalg.norm(heads[0] - feet[0])
length = np.hypot(1.0, offset)
expected = 9.81 * (50 + 6 * 2.0 + 6 * (3.0 - 2.0) * 0.3 * offset**2 / length**3) * length / 6
print(f"legs in the pose: {lengths.round(6)} m")
print(f"force of a leg at rest {force:.9f} N, by virtual work {expected:.9f} N")
assert abs(force / expected - 1) < 1e-10

path = sys.argv[1] if len(sys.argv) > 1 else "stewart_platform.png"
mb.picture(eom, path, q=pose, size=(640, 420), overwrite=True)
