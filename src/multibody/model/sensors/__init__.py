"""Sensors: what can be measured."""

from multibody.model.sensors.contract import Sensor

__all__ = ["Sensor"]
