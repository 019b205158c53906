"""MATLAB, Octave and Simulink: functions, a simulation, an animation, and a block."""

from __future__ import annotations

from multibody.codegen.targets.matlab.sfunction import SFunction
from multibody.codegen.targets.matlab.target import Matlab

__all__ = ["Matlab", "SFunction"]
