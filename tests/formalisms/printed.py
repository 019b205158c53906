"""Results as other documents print them, to be proved equal to ours.

A text such as ``q1''`` is read as it is printed; our name for it is ``q1_ddot``.
"""

from multibody.graph import all_same, array, parse, product


def printed(text, eom, **more):
    """An expression in the names of the equations."""
    known = (*eom.coordinates, *eom.speeds, *eom.model.accelerations, *eom.parameters, *eom.inputs)
    return parse(text.replace("''", "_ddot").replace("'", "_dot"), {one.name: one for one in known} | more)


def is_printed(found, texts, eom, **more):
    """Whether a matrix is what is printed; columns are separated by commas, rows by semicolons."""
    expected = array([[printed(text, eom, **more) for text in row.split(",")] for row in texts.split(";")])
    return all_same(array(found).reshape(expected.shape), expected, points=2)


def balance(eom):
    """M·u̇ + h - f, with symbols for u̇: what Kane calls -(F_r + F_r*)."""
    return product(eom.M, array(list(eom.model.accelerations))) + eom.h - eom.f


def forcing(eom):
    """f - h, and -γ where there are constraints: the right-hand side of M·u̇ = …"""
    return eom.separate_form().right


def solved(eom):
    """The symbols of u̇, with what they are."""
    return dict(zip(eom.model.accelerations, eom.acceleration, strict=True))
