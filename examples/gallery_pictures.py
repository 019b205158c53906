"""Pictures of mechanisms and robots, as they stand in the documentation.

    python examples/gallery_pictures.py folder

The robots need the package example-robot-data; without it they are left out.
"""

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

import multibody as mb
from multibody import library
from multibody.io import UrdfRobot, read_urdf
from multibody.view import contact_sheet, picture

PANDA = {"panda_joint2": -0.6, "panda_joint4": -2.2, "panda_joint6": 1.7, "panda_joint7": 0.8,
         "panda_finger_joint1": 0.03, "panda_finger_joint2": 0.03}  # fmt: skip


def simulated(system: mb.System, duration: float) -> mb.Trajectory:
    """A run from the system's own start."""
    return mb.simulate(mb.derive(system), duration=duration)


def crane_crab(path: Path) -> None:
    """The crab of the PyMbs manual, and how its load swings through to the other side."""
    run = simulated(library.crane_crab(), 0.75)
    picture(run, path, t=np.linspace(0, 0.75, 4), overwrite=True)


def five_body_chain(path: Path) -> None:
    """The chain to which Wittenburg's method was applied, at its start."""
    picture(library.five_body_chain(), path, overwrite=True)


def fourfold_pendulum(path: Path) -> None:
    """Ten moments, one second apart, of the chain between two trolleys: figure 9 of the paper on motor calculus."""
    run = simulated(library.fourfold_pendulum(), 9.0)
    seconds = range(10)
    front = ((-0.1, -1.75, 7.7), (-0.1, -1.75, 0.0))
    shots = [picture(run, t=float(t), size=(360, 260), camera=front, layers=["drawings"]) for t in seconds]
    contact_sheet(shots, 5, [f"{t} s" for t in seconds], path=str(path), overwrite=True)


def spatial_four_bar(path: Path) -> None:
    """The linkage of the Modelica library, whose bodies move in space."""
    picture(library.spatial_four_bar(), path, overwrite=True)


def bicycle(path: Path) -> None:
    """Whipple's bicycle, leaning into a curve."""
    picture(library.bicycle(), path, overwrite=True)


def panda(path: Path) -> None:
    """A robot arm with seven joints, ready to grip."""
    picture(robot("panda_description/urdf/panda.urdf"), path, q=PANDA, size=(720, 720), overwrite=True)


def talos(path: Path) -> None:
    """A humanoid robot."""
    picture(robot("talos_data/robots/talos_reduced.urdf", floating=True), path, size=(640, 960), overwrite=True)


def robot(file: str, *, floating: bool = False) -> UrdfRobot:
    """A robot from the package example-robot-data."""
    share = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share")))
    return read_urdf(share / "example-robot-data/robots" / file, floating=floating, mesh_root=share)


GALLERY: tuple[Callable[[Path], None], ...] = (
    crane_crab, five_body_chain, fourfold_pendulum, spatial_four_bar, bicycle, panda, talos
)  # fmt: skip


def main(folder: Path) -> None:
    """Write all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for draw in GALLERY:
        path = folder / f"gallery_{draw.__name__}.png"
        try:
            draw(path)
        except PackageNotFoundError as error:
            print(f"{path.name} is left out: {error}")
        else:
            print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "gallery"))
