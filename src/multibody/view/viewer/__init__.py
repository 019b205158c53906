"""The viewer: a page in the browser, with sliders, plots and a timeline, served to this machine alone."""

from multibody.view.viewer.front import show
from multibody.view.viewer.viewer import Viewer

__all__ = ["Viewer", "show"]
