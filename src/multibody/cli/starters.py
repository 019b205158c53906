"""The texts of new model files."""

from __future__ import annotations

import inspect

from multibody.io.model_files.emit import scalar

YAML = """\
# {name}: a model file of multibody. SI units and radians. Values may be numbers or expressions of parameters.
# Check it:     multibody check {name}.yaml
# Simulate it:  multibody simulate {name}.yaml --duration 5
multibody: 1 # the version of this format
name: {written}
gravity: [0, 0, -9.81]

parameters: # numbers that can be changed without deriving anew
  m: {{value: 1.0, unit: kg, description: mass of the bob}}
  l: {{value: 1.0, unit: m, description: length of the rod}}
  d: {{value: 0.05, unit: N*m*s/rad, description: friction of the hinge}}

inputs: # what acts from outside; zero unless somebody drives it
  M: {{unit: N*m, description: torque at the hinge}}

bodies: # the centre of mass lies in the frame of the body, here below the hinge
  bob:
    mass: m
    com: [0, 0, -l]
    inertia: [m*l**2/12, m*l**2/12, 0]
    frames: # places on the body that joints, loads and sensors can refer to
      tip: {{position: [0, 0, -l]}}

joints: # parent and child are bodies or frames; "world" does not move. q and u are start values
  angle: {{parent: world, child: bob, kind: Ry, q: 0.5}}

loads:
  drive: {{JointLoad: {{joint: angle, value: M}}}}
  friction: {{JointDamper: {{joint: angle, damping: d}}}}

sensors: # what is measured
  place: {{Position: {{frame: tip}}}}
"""

EMPTY_YAML = """\
# {name}: a model file of multibody. SI units and radians.
multibody: 1 # the version of this format
name: {written}
gravity: [0, 0, -9.81]

# parameters:
#   m: {{value: 1.0, unit: kg}}
# bodies:
#   bob: {{mass: m, com: [0, 0, -1]}}
# joints:
#   angle: {{parent: world, child: bob, kind: Ry}}
"""

PYTHON = '''\
"""{name}: a model of multibody. SI units and radians.

Check it:     multibody check {name}.py
Simulate it:  multibody simulate {name}.py --duration 5
"""

import multibody as mb

system = mb.System("{name}", gravity=(0, 0, -9.81))
'''

PENDULUM = """
# numbers that can be changed without deriving anew
m = system.parameter("m", 1.0, unit="kg", description="mass of the bob")
l = system.parameter("l", 1.0, unit="m", description="length of the rod")
d = system.parameter("d", 0.05, unit="N*m*s/rad", description="friction of the hinge")

# what acts from outside; zero unless somebody drives it
M = system.input("M", unit="N*m", description="torque at the hinge")

# the centre of mass lies in the frame of the body, here below the hinge
bob = system.body("bob", mass=m, com=(0, 0, -l), inertia=(m * l**2 / 12, m * l**2 / 12, 0))
tip = bob.frame("tip", (0, 0, -l))

# parent and child are bodies or frames; system.world does not move; q is the start value
angle = system.joint("angle", system.world, bob, "Ry", q=0.5)

system.load(mb.JointLoad(angle, M), name="drive")
system.load(mb.JointDamper(angle, d), name="friction")
system.sensor("place", mb.Position(tip))
"""

MAIN = """
if __name__ == "__main__":
    run = mb.simulate(mb.derive(system), duration=5.0)
    print(run)
"""

LIBRARY = '''\
"""{name}: {title}, from the library of multibody.

{description}

Check it:     multibody check {name}.py
Simulate it:  multibody simulate {name}.py --duration 5
"""

import multibody as mb

# It is a System like any other: add to it, or give it other dimensions.
system = mb.library.{origin}(
{options})
'''


def text(name: str, origin: str | None, *, empty: bool, python: bool) -> str:
    """The text of a new model file.

    Args:
        name: of the system.
        origin: the library model to begin with; a pendulum without it.
        empty: whether there is to be nothing in it.
        python: whether it is a Python file, rather than YAML.
    """
    if origin is not None:
        return _library_python(name, origin) if python else _library_yaml(name, origin)
    if python:
        return PYTHON.format(name=name) + ("" if empty else PENDULUM + MAIN)
    return (EMPTY_YAML if empty else YAML).format(name=name, written=scalar(name))


def _library_yaml(name: str, origin: str) -> str:
    from multibody import library
    from multibody.io.model_files import model_text

    model = library.find(origin)
    system = model.build()
    written = model_text(system).replace(f"name: {system.name}\n", f"name: {scalar(name)}\n", 1)
    return f"# {name}: {model.title}, from the library of multibody.\n# {model.description}\n{written}"


def _library_python(name: str, origin: str) -> str:
    from multibody import library

    model = library.find(origin)
    given = inspect.signature(model.build).parameters.values()
    options = "".join(map(_option, given))
    return LIBRARY.format(
        name=name, title=model.title, description=model.description, origin=origin, options=options
    ) + MAIN  # fmt: skip


def _option(one: inspect.Parameter) -> str:
    """The line for an option: with its default, or a hint at further ones."""
    if one.kind is one.VAR_KEYWORD:
        return f"    # {one.name}: others by name, see help(mb.library)\n"
    return f"    {one.name}={one.default!r},\n"
