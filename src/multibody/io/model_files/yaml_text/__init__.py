"""YAML text with the place of every value: read, written and edited."""
