"""Solves with the mass matrix by loops, for C and C++.

Written out, the solves in the Jacobian of n speeds take about 2·n³ operations, for which a compiler needs minutes. As
loops they are a page of code, and what remains to be written out grows as n².
"""

from __future__ import annotations

from dataclasses import replace

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.program import Program
from multibody.codegen.program_data import Routine
from multibody.codegen.routines import UNSOLVED_JACOBIAN
from multibody.codegen.targets.c.clike import FunctionForm, block
from multibody.equations.solution import tips_first


def is_unsolved(routine: Routine) -> bool:
    """Whether a routine computes right-hand sides, which are solved by loops."""
    return routine.name == UNSOLVED_JACOBIAN


def solved_routine(routine: Routine) -> Routine:
    """The routine that a caller sees: its name and its results, without the mass matrix."""
    return replace(routine, name="jacobian", results=routine.results[:2]) if is_unsolved(routine) else routine


def loops(code: Code) -> list[str]:
    """The functions that solve, if they are needed."""
    return [_LOOPS.rstrip()] if UNSOLVED_JACOBIAN in code else []


def function(form: FunctionForm, program: Program, body: RoutineBody, prefix: str = "") -> str:
    """A routine as functions; one that is unsolved is followed by a function that calls it and solves.

    Args:
        form: how functions are written.
        program: whose routine it is.
        body: its code.
        prefix: before the names of all functions.
    """
    if not is_unsolved(body.routine):
        return form.function(body, f"{prefix}{body.routine.name}")
    inner = f"{prefix}{body.routine.name}"
    routine = solved_routine(body.routine)
    n, m = len(program.coordinates), len(program.speeds)
    names = [result.name for result in routine.results]
    lines = [
        f"static const int order[{m}] = {{{', '.join(map(str, tips_first(program.eom.model)))}}};",
        f"double mass_factors[{m * m}];",
        f"{inner}({', '.join([*form.given, *names, 'mass_factors'])});",
        f"factor_mass_matrix({m}, mass_factors);",
        *(
            f"solve_rows({m}, order, mass_factors, {width}, {result.name} + {n * width});"
            for result in routine.results
            if (width := result.shape[1])
        ),
    ]
    outer = block(form.head(f"{prefix}{routine.name}", [f"double *{name}" for name in names]), lines)
    return f"{replace(form, head=form.piece).function(body, inner)}\n\n{outer}"


_LOOPS = """/* L and 1/D of M = L*D*L', in place of M, only its lower triangle is read; zeros of trees stay. */
static inline void factor_mass_matrix(int n, double *M)
{
    int i, j, k;
    for (k = 0; k < n; ++k) {
        const double inverse = 1.0 / M[k * n + k];
        for (i = n - 1; i > k; --i) {
            const double low = M[i * n + k] * inverse;
            if (low == 0.0)
                continue;
            for (j = k + 1; j <= i; ++j)
                M[i * n + j] -= low * M[j * n + k];
            M[i * n + k] = low;
        }
        M[k * n + k] = inverse;
    }
}

/* X with L*D*L'*X = R, in place of R; row i of L belongs to row order[i] of X, and rows have `width` numbers. */
static inline void solve_rows(int n, const int *order, const double *L, int width, double *X)
{
    int i, j, k;
    for (i = 0; i < n; ++i)
        for (j = 0; j < i; ++j)
            if (L[i * n + j] != 0.0)
                for (k = 0; k < width; ++k)
                    X[order[i] * width + k] -= L[i * n + j] * X[order[j] * width + k];
    for (i = n - 1; i >= 0; --i) {
        for (k = 0; k < width; ++k)
            X[order[i] * width + k] *= L[i * n + i];
        for (j = i + 1; j < n; ++j)
            if (L[j * n + i] != 0.0)
                for (k = 0; k < width; ++k)
                    X[order[i] * width + k] -= L[j * n + i] * X[order[j] * width + k];
    }
}
"""
