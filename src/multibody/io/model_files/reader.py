"""Reading a model file."""

from __future__ import annotations

import os
from typing import Any

from multibody.io.model_files.build import built
from multibody.io.model_files.documents import Document, gathered
from multibody.model import System


def read_model(source: str | os.PathLike[str], *, folder: str | os.PathLike[str] | None = None) -> System | Any:
    r"""The system that a model file describes; the ``Subsystem``, where it says how subsystems are coupled.

    Nothing in a file can run code, and no file outside the folder is read. See ``write_model`` for the other way.

    Args:
        source: the path of a file; or the text itself, which has more than one line.
        folder: below which included files and meshes must lie; by default that of the file. A text that comes from no
            file can name other files only if a folder is given.

    Raises:
        ModelFileError: with file, line and column of what is wrong, and what may have been meant.
        StorageError: if the file cannot be read.

    Example:
        >>> crane = read_model('''
        ... multibody: 1
        ... name: crane
        ... parameters: {m1: 10, m2: 1, l: 1}
        ... inputs: {F: {unit: N}}
        ... bodies:
        ...   crab: {mass: m1}
        ...   load: {mass: m2, inertia: [0, m2*l**2/12, 0], frames: {hook: {position: [0, 0, l]}}}
        ... joints:
        ...   slide: {parent: world, child: crab, kind: Tx}
        ...   swing: {parent: crab, child: hook, kind: Ry, q: -1.0}
        ... loads:
        ...   drive: {JointLoad: {joint: slide, value: F - 3*slide_dot}}
        ... ''')
        >>> crane.freeze().coordinates
        (slide, swing)
        >>> read_model("multibody: 1\nname: crane\nbodies: {crab: {mas: 3}}")
        Traceback (most recent call last):
            ...
        multibody.errors.ModelFileError: There is no key 'mas' here. [name-unknown]
          where: text, line 3, column 17: bodies: crab
              bodies: {crab: {mas: 3}}
                              ^
          cause: Did you mean 'mass'?
          fix: The keys are: mass, com, inertia, about, frames.
    """
    return described(gathered(source, folder))


def described(document: Document) -> System | Any:
    """The system that a document describes, or the subsystem.

    Raises:
        ModelFileError: with the place of what is wrong.
    """
    if "subsystems" not in document.sections:
        return built(document)
    from multibody.io.model_files.coupled.reading import coupled

    return coupled(document)
