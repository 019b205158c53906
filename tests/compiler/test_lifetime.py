"""Machine code and arrays stay in memory as long as anybody can reach them.

A fault here kills the process, hence each case has one of its own.
"""

import subprocess
import sys

import pytest

PREAMBLE = """
import gc, math
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from multibody.compiler import Function
from multibody.graph import sin, sqrt, symbols
x, y = symbols("x y")
m = symbols("m", "parameter")[0]

def other_work():
    for k in range(6):
        Function("other", {"x": x}, {"y": x * k + k})(1.0)
    gc.collect()
    return [np.full(n, 7.0) for n in range(1, 40)]

"""

CASES = {
    "a bound call outlives its function": """
a, b = np.array(3.0), np.array(0.0)
step = Function("f", {"x": x}, {"y": x * x + 7}).bind(x=a, y=b)
other_work()
step()
assert b == 16.0
""",
    "a bound call of a fixed function outlives both": """
a, b = np.array(3.0), np.zeros(1)
step = Function("f", {"x": x, "m": [m]}, {"y": [x * x + sqrt(m)]}).fix(m=[4.0]).bind(x=a, y=b)
other_work()
step()
assert b[0] == 11.0
""",
    "a bound call outlives the arrays it was given": """
out = np.zeros(300)
f = Function("f", {"x": [x, y]}, {"y": [x + y] * 300})
step = f.bind(x=np.array([1.0, 2.0]), y=out)
junk = other_work()
step()
assert (out == 3.0).all()
""",
    "a fixed function outlives its function": """
fixed = Function("f", {"x": x, "m": m}, {"y": x * sqrt(m)}).fix(m=4.0)
other_work()
assert fixed(3.0) == 6.0
""",
    "a call reads temporary arrays": """
f = Function("f", {"x": [x, y]}, {"y": x + y})
for k in range(2000):
    assert f(np.array([k, 1.0])) == k + 1
""",
    "several threads call one function": """
f = Function("f", {"x": x, "m": m}, {"y": sin(x) * m})
f(1.0, 1.0)
for _ in range(60):
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda k: f(float(k), 2.0), range(32)))
    assert all(abs(r - 2 * math.sin(k)) < 1e-14 for k, r in enumerate(results)), results
""",
    "several threads fix and call": """
f = Function("f", {"x": x, "m": m}, {"y": sin(x) * sqrt(m)})
f(1.0, 1.0)
for _ in range(60):
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda k: f.fix(m=float(k))(float(k)), range(32)))
    assert all(abs(r - math.sqrt(k) * math.sin(k)) < 1e-14 for k, r in enumerate(results)), results
""",
    "several threads compile one function at once": """
for k in range(10):
    f = Function("f", {"x": x, "m": m}, {"y": sin(x) * m + k})
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda j: f.batch([float(j)] * 3, 2.0)[1] - f(float(j), 2.0), range(16)))
    assert max(map(abs, results)) < 1e-14, results
""",
    "another thread allocates while a long function runs": """
xs = symbols(" ".join(f"x{k}" for k in range(8)))
nodes = list(xs)
for k in range(8000):
    nodes.append(nodes[-1] * 0.5 + nodes[-2] * xs[k % 8])
f = Function("f", {f"p{k}": s for k, s in enumerate(xs)}, {"y": nodes[-1]})
at = [0.1 * k for k in range(8)]
expected = f(*at)
def noise(k):
    for _ in range(3000):
        [np.full(n, 7, dtype=np.int64) for n in range(7, 12)]
with ThreadPoolExecutor(3) as pool:
    running = [pool.submit(noise, k) for k in range(3)]
    while not all(r.done() for r in running):
        assert f(*at) == expected
""",
    "many functions come and go": """
for k in range(60):
    f = Function("f", {"x": x, "m": m}, {"y": sin(x) * m + k})
    assert abs(f(1.0, 2.0) - 2 * math.sin(1.0) - k) < 1e-13
    del f
""",
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_nothing_is_freed_too_early(case):
    done = subprocess.run([sys.executable, "-c", PREAMBLE + CASES[case]], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-500:]}"
