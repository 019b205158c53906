"""The command, run as a user runs it but within this process; and one pendulum in every kind of file."""

import json
from dataclasses import dataclass

import pytest

from multibody.cli import main

YAML = """\
multibody: 1
name: pendulum
gravity: [0, 0, -9.81]
parameters: {m: 2.0, l: {value: 1.0, unit: m}}
inputs: {M: {unit: N*m}}
bodies:
  bob: {mass: m, com: [0, 0, -l]}
joints:
  angle: {parent: world, child: bob, kind: Ry, q: 0.5}
loads:
  drive: {JointLoad: {joint: angle, value: M}}
"""
URDF = """\
<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="angle" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
</robot>
"""
PYTHON = """\
import multibody as mb

print("the file is run")
pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
m, l = pendulum.parameters(m=2.0, l=1.0)
hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", m, (0, 0, -l)), "Ry", q=0.5)
pendulum.load(mb.JointLoad(hinge, pendulum.input("M")))
eom = mb.derive(pendulum)

if __name__ == "__main__":
    raise RuntimeError("this is not part of the model")
"""


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        """The one JSON document on standard output."""
        return json.loads(self.out)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, in which all commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def multibody(folder, capsys):
    """Run the command with some words."""

    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Done(int(code), *capsys.readouterr())

    return run


@pytest.fixture(params=["library", "yaml", "urdf", "python"])
def pendulum(request, folder):
    """The same pendulum, as every kind of model."""
    texts = {"yaml": YAML, "urdf": URDF, "python": PYTHON}
    if request.param == "library":
        return "pendulum"
    path = folder / f"model.{'py' if request.param == 'python' else request.param}"
    path.write_text(texts[request.param])
    return str(path)
