"""The viewer: a page in the browser, with sliders, plots and a timeline, served to this machine alone."""

from multibody.view.viewer.viewer import Viewer, show

__all__ = ["Viewer", "show"]
