"""Checks of a system before equations are derived."""
