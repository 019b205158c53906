"""Compiled loops: their language, their translation by the developer, and the shipped code that users run."""
