"""Pictures without a browser and without a graphics card."""

from multibody.view.raster.image_file import contact_sheet
from multibody.view.raster.picture import picture

__all__ = ["contact_sheet", "picture"]
