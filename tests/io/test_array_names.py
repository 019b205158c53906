"""Arrays of parameters by their own names in model files."""

import multibody as mb

TEXT = """
multibody: 1
name: rocket
parameters:
  cp: [0, 0, 1.0]
  J: [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 1]]
bodies:
  b: {{mass: 1, com: {com}, inertia: {inertia}}}
joints:
  j: {{parent: world, child: b, kind: {{Spherical: {{}}}}}}
"""


def test_an_array_stands_for_its_entries():
    by_name = mb.read_model(TEXT.format(com="cp", inertia="J"))
    entries = [[f"J_{row}_{column}" for column in (1, 2, 3)] for row in (1, 2, 3)]
    written = mb.read_model(TEXT.format(com="[cp_1, cp_2, cp_3]", inertia=str(entries).replace("'", "")))
    (one,), (other,) = by_name.freeze().bodies, written.freeze().bodies
    assert one.com == other.com
    assert one.inertia.components() == other.inertia.components()
