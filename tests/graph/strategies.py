"""Random expressions and conditions for property-based tests."""

from fractions import Fraction

from hypothesis import strategies as st

from multibody.errors import MultibodyError
from multibody.graph import functions as f
from multibody.graph.expr import Constant, constant, neg, recip
from multibody.graph.piecewise import conditions as c

NAMES = ("x", "y", "z", "q1", "q2", "q10", "m_crab", "φ")
SYMBOLS = tuple(f.symbol(name) for name in NAMES)

symbols = st.sampled_from(SYMBOLS)
integers = st.integers(-12, 12).map(constant)
fractions = st.builds(Fraction, st.integers(-12, 12), st.integers(1, 12)).map(constant)
irrationals = st.sampled_from([f.pi, f.pi / 3, f.sqrt(2), f.sqrt(3) / 2, -f.pi / 4, f.sqrt(2) + f.pi, f.exp(1)])
floats = st.sampled_from([0.1, 9.81, 1e-5, 2.5e17, 0.3333]).map(constant)
exact_numbers = integers | fractions | irrationals
leaves = symbols | symbols | exact_numbers


def modest_power(a, b):
    """a**b, but not 12**12**12."""
    return f.power(a, b) if not isinstance(b, Constant) or abs(b.value) < 6 else a


ARITHMETIC = (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b)
SMOOTH = (*ARITHMETIC, f.sin, f.cos, f.atan, f.tanh, neg, lambda a: a * a)
FUNCTIONS = (
    f.sin, f.cos, f.tan, f.asin, f.acos, f.atan, f.atan2, f.sinh, f.cosh, f.tanh, f.exp, f.log, f.sqrt, f.absolute,
    f.sign, f.minimum, f.maximum, modest_power, recip, lambda a: f.power(a, Fraction(1, 3)),
)  # fmt: skip
COMPARISONS = (c.less, c.less_equal, c.equal)
_OPERANDS = {f.atan2: 2, f.minimum: 2, f.maximum: 2, modest_power: 2} | dict.fromkeys(ARITHMETIC, 2)


def made(function, *operands):
    """The operation on the operands; the first operand where the operation has no value, as 1/0 has none."""
    try:
        return function(*operands)
    except MultibodyError:
        return operands[0]


@st.composite
def expressions(draw, leaves=leaves, operations=ARITHMETIC * 3 + FUNCTIONS, size=20, choices=True):
    """A random expression, made as a pocket calculator makes it: numbers on a stack, operations on its top."""
    stack = [draw(leaves)]
    for _ in range(draw(st.integers(0, size))):
        step = draw(st.sampled_from((None, None, *operations, *(("where",) if choices else ()))))
        if step is None:
            stack.append(draw(leaves))
        elif step == "where":
            condition = draw(conditions(st.sampled_from([*stack[-3:], *SYMBOLS[:2]])))
            stack[-2:] = [made(c.where, condition, stack[-1], stack[-2 if len(stack) > 1 else -1])]
        else:
            operands = stack[-_OPERANDS.get(step, 1) :]
            stack[-len(operands) :] = [made(step, *(operands * _OPERANDS.get(step, 1))[: _OPERANDS.get(step, 1)])]
    while len(stack) > 1:
        stack[-2:] = [made(draw(st.sampled_from(ARITHMETIC)), *stack[-2:])]
    return stack[0]


def smooth_expressions(leaves=leaves, size=20):
    """Expressions that are finite and smooth for all real arguments."""
    return expressions(leaves, SMOOTH, size, choices=False)


@st.composite
def conditions(draw, values=leaves):
    """A comparison of values, or a combination of up to three comparisons; rarely a plain truth value."""
    result = draw(st.sampled_from(COMPARISONS))(draw(values), draw(values))
    for _ in range(draw(st.integers(0, 2))):
        other = draw(st.sampled_from(COMPARISONS))(draw(values), draw(values))
        result = result & other if draw(st.booleans()) else result | other
        result = result if isinstance(result, bool) or draw(st.booleans()) else ~result
    return result


@st.composite
def graphs(draw, size=40):
    """An expression that shares its parts heavily: each new node takes any of the last nodes before it."""
    nodes = [*SYMBOLS[:4], draw(exact_numbers)]
    for _ in range(draw(st.integers(1, size))):
        function = draw(st.sampled_from(SMOOTH))
        operands = [draw(st.sampled_from(nodes[-6:])) for _ in range(_OPERANDS.get(function, 1))]
        nodes.append(made(function, *operands))
    return nodes[-1]
