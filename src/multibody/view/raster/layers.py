"""What is shown and what is hidden."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from multibody.errors import UnknownNameError
from multibody.graph.names import suggestion
from multibody.view.scenes import LAYERS, Scene


def shown_layers(scene: Scene, layers: Any) -> frozenset[str]:
    """The layers to be seen: those that are wanted, or all that the scene does not hide.

    Raises:
        UnknownNameError: for a layer that does not exist.
    """
    if layers is None:
        return frozenset(LAYERS) - scene.hidden
    wanted = list(layers) if isinstance(layers, Collection) and not isinstance(layers, str) else [layers]
    unknown = [one for one in wanted if one not in LAYERS]
    if unknown:
        raise UnknownNameError(
            f"There is no layer {', '.join(map(repr, unknown))}.",
            cause=suggestion([str(one) for one in unknown], LAYERS),
            remedy=f"There are: {', '.join(LAYERS)}.",
        )
    return frozenset(wanted)
