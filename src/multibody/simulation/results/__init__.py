"""Trajectories: samples, energies, names and units, tables, files and their identification."""
