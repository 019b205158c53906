"""To look at: scenes, the viewer in the browser, pages, figures, pictures, animations."""

from multibody.view.build import scene
from multibody.view.page import page_html, write_page
from multibody.view.raster import contact_sheet, picture
from multibody.view.scene import Place, Scene, Solid, Tie
from multibody.view.viewer import Viewer, show

__all__ = [
    "Place", "Scene", "Solid", "Tie", "Viewer", "contact_sheet", "page_html", "picture", "scene", "show", "write_page",
]  # fmt: skip
