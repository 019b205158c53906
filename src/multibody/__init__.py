"""From the description of a mechanical system to its equations of motion, and to all that follows from them.

Example:
    >>> import multibody as mb
    >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
    >>> bob = pendulum.body("bob", mass=2, com=(0, 0, -1))
    >>> hinge = pendulum.joint("angle", pendulum.world, bob, "Ry", q=0.3)
    >>> eom = mb.derive(pendulum)
    >>> eom.acceleration
    (-9.81*sin(angle),)
"""

from lazy_loader import attach_stub

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
__all__.remove("io")  # ``from multibody import *`` leaves the standard library's ``io`` as it is
