"""A free rigid body as a subsystem."""
