"""Integrators: Runge–Kutta methods, SciPy, SUNDIALS, and how they treat constraints and stiffness."""
