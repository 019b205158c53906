"""Constraints of subsystems: derivatives, redundancy, contradictions, identities."""
