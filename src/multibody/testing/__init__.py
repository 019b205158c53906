"""Tools for people who add a joint, a load or a formalism: random models and identities to hold them against."""

from multibody.testing.random_loads import INTERNAL_LOADS, LOADS, add_internal_loads, add_random_loads
from multibody.testing.random_loops import CLOSINGS, random_loops
from multibody.testing.random_models import KINDS, random_floating_system, random_system, random_tree
from multibody.testing.random_sensors import SENSORS, add_random_sensors
from multibody.testing.random_values import Arguments, random_arguments, random_state

__all__ = [
    "CLOSINGS", "INTERNAL_LOADS", "KINDS", "LOADS", "SENSORS", "Arguments", "add_internal_loads",
    "add_random_loads", "add_random_sensors", "random_arguments", "random_floating_system", "random_loops",
    "random_state", "random_system", "random_tree",
]  # fmt: skip
