"""Consistent positions and velocities: closing loops, start states."""
