"""Panels of the viewer's page: playback, sliders, layers, curves, meters, and runs with other parameters."""
