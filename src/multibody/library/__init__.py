"""Ready models, each with the numbers that others have published for it.

A model is a function that builds a ``System``, with documented options, and an entry by which it is found: what it is,
where it comes from, and checks that compare our numbers with published ones.

Example:
    >>> from multibody import library
    >>> system = library.four_bar(lengths=(2.0, 1.0, 2.5, 1.7))
    >>> model = library.find("four_bar")
    >>> for one in model.check():
    ...     print(f"{one.what}: {one.ours:.6g} {one.unit}, {one.source}")
    vertical force at the closing joint: -98.1 N, SymPy, tutorial on the four-bar linkage
    ...
"""

from multibody.library.carts import cart_pole
from multibody.library.chains import n_link_chain
from multibody.library.check import Check, CheckResult
from multibody.library.cranes import crane_crab
from multibody.library.discs import rolling_disc
from multibody.library.five_bodies import five_body_chain
from multibody.library.fourfold import fourfold_pendulum
from multibody.library.hexapods import stewart_platform
from multibody.library.library_model import LibraryModel
from multibody.library.pendulums import double_pendulum, pendulum
from multibody.library.plane_linkages import four_bar, slider_crank
from multibody.library.registry import find, names
from multibody.library.rows import n_four_bar
from multibody.library.spatial_linkages import spatial_four_bar
from multibody.library.squeezers import andrews
from multibody.library.tops import heavy_top
from multibody.library.whipple import bicycle

__all__ = [
    "Check", "CheckResult", "LibraryModel", "andrews", "bicycle", "cart_pole", "crane_crab", "double_pendulum",
    "find", "five_body_chain", "four_bar", "fourfold_pendulum", "heavy_top", "n_four_bar", "n_link_chain", "names",
    "pendulum", "rolling_disc", "slider_crank", "spatial_four_bar", "stewart_platform",
]  # fmt: skip
