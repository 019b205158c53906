"""Closed forms that people can read: expressions as a textbook prints them.

An entry of a mass matrix comes out of a formalism as a graph of products of sines and cosines. Its closed form adds the
angles of parallel axes, cancels what cancels, collects common factors, and is the shortest that is found:

1. ``rational_form`` reads an expression into its normal form, a ``quotient`` of polynomials (``laurent``) in symbols
   and in e^{iθ} of angles, where the addition theorems are products of monomials. ``division`` and ``common_divisor``
   cancel.
2. ``real_forms`` writes numerator and denominator in sines and cosines, in all ways that could be short:
   ``trigonometric`` has the identities, ``fourier`` the sums of angles.
3. ``factoring`` collects common factors and factors quadratic forms, ``squares`` finds squares of sums, ``nested``
   holds the result.
4. ``writer`` compares the results by their ``printed_size``, and keeps the shortest that is proved to be equal.

Known identities make it shorter still (``ideals``): ``real_polynomials`` reads quotients without complex numbers,
``ideal`` has their normal forms, ``identities`` the direction from a pattern to its value, ``reduction`` makes forms of
quotients and proves them, ``shortest_forms`` chooses among them, and ``arguments`` opens the functions.
"""

from multibody.graph.closed_forms.form import ClosedForm, closed_form, closed_form_report
from multibody.graph.closed_forms.ideals.reduced import reduced

__all__ = ["ClosedForm", "closed_form", "closed_form_report", "reduced"]
