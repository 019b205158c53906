"""Loads: what pushes, pulls and turns."""

from multibody.model.loads.contract import Applied, Load

__all__ = ["Applied", "Load"]
