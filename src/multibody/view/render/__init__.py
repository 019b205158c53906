"""Pictures without a browser and without a graphics card."""
