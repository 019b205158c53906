"""Shared libraries from generated C, for this machine and for other platforms."""
