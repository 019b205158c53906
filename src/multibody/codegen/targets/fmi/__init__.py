"""FMI 2.0 and 3.0: functional mock-up units for model exchange and co-simulation.

An FMU is an archive with a description of the model (``modelDescription.xml``), sources in C, and a binary for this
platform if there is a compiler. Its sources are the C code of the equations and a handful of fixed files, which are
kept in the folder ``sources`` here.
"""

from multibody.codegen.targets.fmi.target import Fmi
from multibody.codegen.targets.fmi.unit import write_fmu

__all__ = ["Fmi", "write_fmu"]
