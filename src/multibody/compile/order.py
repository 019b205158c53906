"""The order of operations: what is used soon after it was made, or used before, is still in a register.

Operations come in the order in which a formalism made them, link by link, which is good for robots. A row of loops is
better computed loop by loop: depth first, each operation right before the first one that needs it. The compiler keeps
to the order that it is given, and takes longer where more must be kept in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from multibody.compile.program import Operation, Program

NEAR = 24
"""Operations after which a value has left the registers, about."""


def ordered(program: Program) -> Sequence[Operation]:
    """The main stage as it was made or depth first, whichever has fewer operands to fetch from memory.

    Example:
        >>> from multibody.compile import Function
        >>> from multibody.graph import sin, symbols
        >>> xs = symbols(" ".join(f"x{k}" for k in range(40)))
        >>> sines = [sin(x) for x in xs]
        >>> program = Function("f", {"x": xs}, {"y": [s * s for s in sines]})._program
        >>> [step.op for step in program.main[:3]], [step.op for step in ordered(program)[:3]]
        (['sin', 'sin', 'sin'], ['sin', 'mul', 'sin'])
    """
    return min(program.main, _depth_first(program), key=_far_operands)


def _depth_first(program: Program) -> list[Operation]:
    steps = {step.node: step for step in program.main}
    done: dict[object, Operation] = {}
    waiting = [node for port in program.outputs for node in port if node in steps][::-1]
    while waiting:
        step = steps[waiting[-1]]
        missing = [arg for arg in step.args if arg in steps and arg not in done]
        if missing:
            waiting += missing[::-1]
        else:
            done[waiting.pop()] = step
    return list(done.values())


def _far_operands(steps: Sequence[Operation]) -> int:
    """How many operands were neither made nor used shortly before."""
    touched: dict[object, int] = {}
    far = 0
    for now, step in enumerate(steps):
        for arg in step.args:
            far += now - touched.get(arg, now) > NEAR
            touched[arg] = now
        touched[step.node] = now
    return far
