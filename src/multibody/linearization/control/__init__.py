"""Regulators and observers, designed and verified."""
