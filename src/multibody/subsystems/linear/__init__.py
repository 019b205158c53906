"""Linear models of subsystems about reference motions."""
