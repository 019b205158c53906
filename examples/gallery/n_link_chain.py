"""Chain of ten links: its frequencies are the zeros of a Laguerre polynomial, as Daniel Bernoulli found for a chain.

Source: D. Bernoulli (1738): ω² = x·g/l with the zeros x of the Laguerre polynomial Lₙ, for n equal masses on massless
links. The n-fold pendulum of SymPy's and PyDy's examples is this chain.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from numpy.polynomial.laguerre import lagroots

import multibody as mb
from multibody import library

N, LENGTH = 10, 0.25
eom = mb.derive(library.n_link_chain(N, length=LENGTH))
hanging = {"q1": -np.pi / 2, **{f"q{k}": 0.0 for k in range(2, N + 1)}}
poles = mb.linearize(eom, hanging).poles
found = np.sort(poles.imag[poles.imag > 0])
expected = np.sqrt(9.81 / LENGTH * lagroots([0] * N + [1]))
print(f"lowest frequency {found[0]:.9f} rad/s, highest {found[-1]:.9f} rad/s")
print(f"by Bernoulli     {expected[0]:.9f} rad/s,         {expected[-1]:.9f} rad/s")
assert np.allclose(found, expected, rtol=1e-9)

run = mb.simulate(eom, duration=1.5)
assert run.energy_drift < 1e-6

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
left.imshow(mb.picture(run, t=np.linspace(0, 1.2, 9), size=(400, 320)))
left.axis("off")
right.plot(range(1, N + 1), found, "o", label="linearized")
right.plot(range(1, N + 1), expected, "+", markersize=12, label="zeros of L₁₀")
right.set(xlabel="mode", ylabel="frequency [rad/s]")
right.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "n_link_chain.png")
