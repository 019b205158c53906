"""Sweeps: many runs, their cases, workers, stored results and measures."""
