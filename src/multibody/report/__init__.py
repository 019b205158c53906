"""Reports to read: symbols, topology, equations and operation counts, as LaTeX and as Markdown."""

from multibody.report.latex import Latex
from multibody.report.markdown import Markdown

__all__ = ["Latex", "Markdown"]
