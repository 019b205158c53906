"""Finding a model by its name."""

from __future__ import annotations

from types import MappingProxyType

from multibody.errors import UnknownNameError
from multibody.graph.names import require_known_names
from multibody.library import (
    carts,
    chains,
    cranes,
    discs,
    five_bodies,
    fourfold,
    hexapods,
    pendulums,
    plane_linkages,
    rows,
    spatial_linkages,
    squeezers,
    tops,
    whipple,
)  # fmt: skip
from multibody.library.library_model import LibraryModel

_MODELS = MappingProxyType({
    model.name: model
    for model in (
        pendulums.PENDULUM, pendulums.DOUBLE_PENDULUM, chains.N_LINK_CHAIN, carts.CART_POLE, cranes.CRANE_CRAB,
        plane_linkages.FOUR_BAR, plane_linkages.SLIDER_CRANK, rows.N_FOUR_BAR, squeezers.ANDREWS, discs.ROLLING_DISC,
        whipple.BICYCLE, hexapods.STEWART_PLATFORM, tops.HEAVY_TOP, five_bodies.FIVE_BODY_CHAIN,
        fourfold.FOURFOLD_PENDULUM, spatial_linkages.SPATIAL_FOUR_BAR,
    )
})  # fmt: skip


def names() -> tuple[str, ...]:
    """The names of all models.

    Example:
        >>> names()[:3]
        ('pendulum', 'double_pendulum', 'n_link_chain')
    """
    return tuple(_MODELS)


def find(name: str) -> LibraryModel:
    """The model with this name.

    Raises:
        UnknownNameError: if there is none; it says what may be meant.

    Example:
        >>> find("four_bar").title
        'Four-bar linkage'
        >>> find("fuor_bar")
        Traceback (most recent call last):
            ...
        multibody.errors.UnknownNameError: There is no model 'fuor_bar' in the library. [name-unknown]
          cause: Did you mean 'four_bar' or ...
    """
    require_known_names([name], names(), "model", purpose="in the library", error=UnknownNameError)
    return _MODELS[name]
