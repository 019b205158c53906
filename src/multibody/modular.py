"""Systems composed of subsystems: the public names of ``multibody.subsystems``."""

from multibody.subsystems import *  # noqa: F403 - the names that subsystems lists
from multibody.subsystems import __all__ as __all__  # noqa: PLC0414 - the same list
