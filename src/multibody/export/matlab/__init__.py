"""MATLAB, Octave and Simulink: functions, a simulation, an animation, and a block."""

from __future__ import annotations

from multibody.export.matlab.sfunction import SFunction
from multibody.export.matlab.target import Matlab

__all__ = ["Matlab", "SFunction"]
