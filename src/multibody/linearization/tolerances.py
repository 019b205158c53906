"""Tolerances of the linear analysis, named by what they bound.

All of them are relative, to the quantity that each description names: verdicts are the same in all units. Numbers of
steps, tries and digits are where they are used.
"""

from __future__ import annotations

import numpy as np

EPS = float(np.finfo(float).eps)
"""The distance from 1 to the next floating-point number."""

# operating points -----------------------------------------------------------------------------------------------------

LIMIT_EXCESS = 1e-9
"""How far an input, a joint or a table may be beyond a limit, relative to the largest number there: by rounding."""

GIVEN_VALUE_SHIFT = 1e-6
"""A given value may be moved so far by constraints, relative to the size of its kind: it may have been rounded."""

INTERPOLATED_VALUE_SHIFT = 1e-3
"""The same for a state between the samples of a run, which is interpolated."""

CONSTRAINT_GAP = 1e-12
"""The largest gap of a constraint that counts as closed, relative to the size of the mechanism."""

GIVEN_VALUE_GAP = 1e-6
"""A gap of a constraint that is open, relative to the lengths that add up in it; values may have been rounded."""

SLOW_SPEED = 1e-6
"""A speed so slow, relative to the fastest one, is compared with that."""

# derivatives and elimination ------------------------------------------------------------------------------------------

DIVISOR_WITHOUT_DIGITS = 1e-2
"""A divisor so small, relative to its value some way off, may have lost its digits: values are found with more."""

DIVISOR_PROBE_DISTANCE = 0.1
"""That way, relative to the sizes of the variables."""

DIFFERENCE_STEP = 1e-4
"""A step for differences, relative to the sizes of the variables."""

KINK_DISTANCE = 1e-10
"""A point so near to one at which formulas change, relative to the sizes of the variables, is at a kink."""

TABLE_KINK_DISTANCE = 1e-12
"""A value so near to a point of a table, relative to the range of the table, is at this point."""

LIMIT_FAR = 1e-13
"""A distance from the point at which limits are looked for, relative to the sizes of the variables."""

LIMIT_NEAR = 1e-17
"""The nearer one of both."""

BRANCH_FAR = 1e-8
"""Such a distance at which formulas may change; tables have the digits of plain numbers."""

BRANCH_NEAR = 1e-12
"""The nearer one of both."""

LIMIT_SHRINKING = 0.1
"""Values near the point differ by less than this part of their differences far from it."""

LIMIT_DIFFERENCE = 1e-9
"""A difference that counts as none, relative to the value."""

LIMIT_MEAN_SHIFT = 100.0
"""How far the mean may move on the way to the point, relative to the differences far from it."""

LIMIT_CHANGE = 0.1
"""A value that changes by more, relative to itself, within the nearer distance is not known where the point is."""

LIMIT_ZERO = 1e-6
"""A limit so small, relative to the differences far from the point, is zero."""

EQUAL_PIVOT = 0.3
"""A column so long, relative to the longest, is as good a pivot."""

SMALLEST_PIVOT = 1e-6
"""A pivot so small, relative to the longest column, is none."""

ROUNDING_ROW = 1e-9
"""A row so short, relative to the longest one, is rounding."""

REDUNDANT_SINGULAR_VALUE = 1e-9
"""A singular value so small, relative to the largest one, belongs to a redundant equation."""

ROUNDING_CONSTANT = 1e-14
"""Relative size of a constant that is nothing but rounding."""

SINGULAR_CONDITION = 1e-13
"""Reciprocal condition, after scaling, of a matrix that counts as singular."""

CONSTRAINT_CONDITION_WARNED = 1e4
"""A conditioning of the constraints from which on digits of the linear system are lost, and a warning says so."""

MASS_CONDITION_WARNED = 1e9
"""The same for the mass matrix, after it was scaled."""

PRODUCT_ROUNDING = 16 * EPS
"""Rounding errors of a sum of products, relative to the sizes of its terms."""

POINT_ERROR = 1e-13
"""To this an operating point is known, relative to the sizes of its coordinates and speeds."""

ENTRY_ROUNDING = 64 * EPS
"""An entry below this share of its terms is a rounding error, and counts as zero."""

ENTRY_SHARE = 1e-3
"""An entry is known as well as this share of the largest one in its row and column."""

# equilibria and steady motions ----------------------------------------------------------------------------------------

LAW_CHANGE = 0.1
"""A change of slopes, relative to the largest one of an unknown, from which on a force is another one."""

UNKNOWN_ERROR = 1e-10
"""An error that counts as zero: unknowns are off by so much, relative to their size."""

TRIM_RANK = 1e-9
"""Singular values below this, relative to the largest, count as zero."""

RESIDUAL_ROUNDING = 64 * EPS
"""Rounding errors of a residual, relative to its terms."""

FAINT_ROW = 1e-4
"""A row whose derivatives are smaller than this, relative to its terms, may have nothing but rounding."""

ZERO_UNKNOWN = 1e-13
"""What is left of a zero, relative to the size of an unknown."""

NEARBY_STEP = 1e-3
"""A step, relative to the size of an unknown, after which rows are compared with a solution."""

OPEN_RESIDUAL = 1e-7
"""A residual that is not zero, relative to what the unknowns can do to it nearby."""

LONGEST_SHARPENING = 0.1
"""The longest step towards a multiple root, relative to the sizes of the unknowns; longer ones lead elsewhere."""

ROOT_DISTANCE_IN_STEPS = 10.0
"""A root is within so many steps of Newton, also if it is a multiple one."""

BALANCED_TERMS = 1e-9
"""A sum of terms that is zero, relative to these; or an unknown that is where it should be."""

BALANCED_ACCELERATION = 1e-8
"""An acceleration that is zero, relative to what balances in it: it is solved for by other equations."""

TERMS_LEFT_BEHIND = 0.1
"""Where terms are smaller, relative to those at the place before, the search goes on: it compared with too much."""

SOLUTION_DISTANCE = 1e-6
"""Solutions that differ by more, relative to their size, are not the same."""

SAME_SOLUTION = 10.0
"""They are the same if the error half-way between them is at most this many times that of a solution."""

ASSEMBLY_DISTANCE = 1e-5
"""Difference of dependent coordinates, relative to their sizes, that counts as none."""

EQUAL_VALUES = 1e-10
"""Values of several equilibria that differ by less, relative to the largest, are the same."""

STEADY_CHANGE = 1e-5
"""A change that counts as none, relative to the entry or to the terms of the equation: motions are integrated."""

STEADY_CHANGE_ROUNDING = 1e-8
"""A smaller change of the terms of an equation is rounding; with one between both, it is undecided."""

MOMENT_OF_MOTION = 1e-4
"""A time, measured by the fastest rate, over which a motion is looked at."""

ENTRY_CHANGE_ROUNDING = 1e-13
"""Relative to the balanced block, a smaller change of an entry is rounding."""

ENTRY_CHANGE = 1e-10
"""Relative to the balanced block, a larger change of an entry is not rounding."""

WEAK_ENTRY = 64 * EPS
"""Entries so small, relative to the largest of their row or column, do not tie parts of a system to each other."""

SMALL_ACCELERATION = 1e-6
"""An acceleration in which little balances is compared with so much of the largest one, in sizes of the mechanism."""

STEADY_ACCELERATION = 1e-9
"""An acceleration so small, relative to what balances in it, is none; a rate, relative to the fastest speed."""

# poles, modes and controllability -------------------------------------------------------------------------------------

ENTRY_ERROR = 1e-12
"""To this each entry of A is known, relative to itself: operating points are found until rounding stops it."""

SEPARATE_POLE = 0.1
"""A pole whose error is below this part of the distance to the next one is corrected by itself."""

COMPUTATION_SHARE = 1e-2
"""With many digits, errors of the computation are at most this part of those of the data."""

ZERO_POLE = 1e-12
"""Relative to its block, a singular value so small belongs to a zero."""

COARSEST_ZERO_POLE = 1e-6
"""The same after other zeros were removed, at most."""

LOSSY_ENTRY = 1e-9
"""Where the error of an entry is larger, relative to it, nothing is taken for zero."""

POLE_ON_AXIS = 1e-6
"""A pole is said to be on the axis if its error bound is below this, relative to it."""

ZERO_POLE_ON_AXIS = 1e-5
"""The same for a pole that is zero, relative to the others."""

COARSE_VECTOR = 1e-8
"""Vectors whose components satisfy their equations to this only are computed with more digits."""

ZERO_COMPONENT = 1e-150
"""Components that are smaller, relative to the largest, are what LAPACK leaves where several zeros share a vector."""

ZERO_AMPLITUDE = 1e-40
"""An amplitude so small, relative to the largest, is what is left where several zeros share a shape."""

JORDAN_POLE_ERROR = 3e-5
"""Relative to the sizes of A, even poles of a Jordan block of three are found to this."""

SCHUR_ERROR = 64 * EPS
"""Relative error of a Schur form."""

MARGIN_OF_ROUNDING = 1e-13
"""A relative change of the entries of A and B that rounding, and Newton's method for operating points, cause."""

MARGIN_OF_REACHED = 1e-9
"""A mode that only a larger relative change of the entries makes unreachable is reached."""

CANCELLED_TERMS = 10.0
"""Terms may be so much larger than their sum where something is not reached; with larger ones it is undecided."""

TURNED_SHARE = 1e-2
"""By this share of its bound, a change of directions that are reached counts where something is not reached."""

# studies along a parameter --------------------------------------------------------------------------------------------

EQUAL_POLES = 1e-9
"""Poles whose distance is smaller, relative to the scale, are alike."""

POLE_SPREAD = 1e-9
"""The slowest pole over the fastest one from which on distances are compared with the poles themselves."""

POLE_STEP = 0.3
"""Poles move less than this part of their distance: there is no doubt which is which."""

MIRROR_DISTANCE = 0.1
"""Relative to its distance from the axis, two poles are images of each other."""

CROSSING_ERROR = 1e-15
"""Relative to the range, crossings are located to this."""

SIMPLE_POLE = 1e-7
"""If a second singular value of the pencil is smaller than this, relative to the largest, a pole is a double one."""

DEFECTIVE_POLE = 1e-7
"""If yᴴ·E·x is smaller than this, relative to E, a pole is a double one with a single shape."""

SENSITIVITY_RANK = 1e-9
"""Singular values below this, relative to the largest, count as zero."""

# control --------------------------------------------------------------------------------------------------------------

RICCATI_CONVERGENCE = 1e-8
"""From this relative change of P on, Newton steps become smaller until rounding stops them."""

RICCATI_RESIDUAL = 1e-10
"""Largest residual of Riccati's equation, relative to its terms."""

GAIN_DIFFERENCE = 1e-7
"""Largest difference of gains from those that follow from the cost of their own closed loop, relative to bounds."""

CLOSED_LOOP_ROUNDING = 64 * EPS
"""Poles of the closed loop must decay by more than what this relative error of all entries does to them."""

WEIGHT_ROUNDING = 1e-12
"""Differences of entries so small, relative to the diagonal, are rounding errors of a symmetric matrix."""
