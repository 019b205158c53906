"""Start values in C: Newton's method with the shortest step, which holds what was given as long as it can.

The text is shared by C, C++ and FMUs. A step is the shortest one, by Gram and Schmidt's orthogonalization of the rows
of the Jacobian with pivoting: rows that depend on others are left out, so that redundant equations do no harm.
"""

from __future__ import annotations

NEWTON = """/* Newton's method with the shortest step, for start values that keep constraints. */

/* Gaps, and their derivatives row by row, at the state that `place` points to. */
typedef void (*Gaps)(const void *place, double *gaps, double *slopes);

/* The shortest step of the states that are free which closes m gaps to first order. Both arrays are overwritten. */
static inline void shortest_step(int m, int n, const int *level, int hold, double *gaps, double *slopes, double *step)
{
    double first = 0.0;
    int i, j, k;
    for (j = 0; j < n; ++j)
        step[j] = 0.0;
    for (k = 0; k < m; ++k) {
        double largest = 0.0, along;
        int row = 0;
        for (i = 0; i < m; ++i) {
            double square = 0.0;
            for (j = 0; j < n; ++j)
                square += level[j] < hold ? slopes[i * n + j] * slopes[i * n + j] : 0.0;
            if (square > largest) {
                largest = square;
                row = i;
            }
        }
        largest = sqrt(largest);
        first = k ? first : largest;
        if (!(largest > 1e-8 * first))
            return; /* the other rows follow from those before */
        along = -gaps[row] / largest;
        for (j = 0; j < n; ++j)
            slopes[row * n + j] = level[j] < hold ? slopes[row * n + j] / largest : 0.0;
        for (j = 0; j < n; ++j)
            step[j] += along * slopes[row * n + j];
        for (i = 0; i < m; ++i) {
            double share = 0.0;
            if (i == row)
                continue;
            for (j = 0; j < n; ++j)
                share += slopes[i * n + j] * slopes[row * n + j];
            gaps[i] += share * along;
            for (j = 0; j < n; ++j)
                slopes[i * n + j] -= share * slopes[row * n + j];
        }
        gaps[row] = 0.0;
        for (j = 0; j < n; ++j)
            slopes[row * n + j] = 0.0;
    }
}

static inline double largest_of(const double *values, int n)
{
    double largest = 0.0;
    int k;
    for (k = 0; k < n; ++k) {
        if (!(values[k] - values[k] == 0.0))
            return HUGE_VAL;
        largest = fmax(largest, fabs(values[k]));
    }
    return largest;
}

/* Moves x until the gaps are as small as rounding lets them become; returns the largest gap that remains. */
static inline double approach(
    Gaps gaps_at, const void *place, double *x, int n, int m, const int *level, int hold, double longest, double *work)
{
    static const double shares[5] = {1.0, 0.5, 0.25, 0.1, 0.02};
    double *const gaps = work, *const slopes = gaps + m, *const step = slopes + m * n, *const before = step + n;
    double gap, size;
    int i, k, tries;
    gaps_at(place, gaps, slopes);
    gap = largest_of(gaps, m);
    for (tries = 0; tries < 60 && gap > 1e-16 && gap < HUGE_VAL; ++tries) {
        double next = HUGE_VAL;
        for (i = 0; i < n; ++i)
            before[i] = x[i];
        shortest_step(m, n, level, hold, gaps, slopes, step);
        size = largest_of(step, n);
        if (!(size > 0.0 && size < HUGE_VAL))
            break;
        for (k = 0; k < 5 && !(next < gap); ++k) {
            for (i = 0; i < n; ++i)
                x[i] = before[i] + shares[k] * fmin(1.0, longest / size) * step[i];
            gaps_at(place, gaps, slopes);
            next = largest_of(gaps, m);
        }
        if (!(next < gap)) {
            for (i = 0; i < n; ++i)
                x[i] = before[i];
            break;
        }
        gap = next;
    }
    return gap;
}

/* A quaternion of any length but zero means the rotation of that of length one. It is made one, unless some of its
 * entries have level 2 and can be held. */
static inline void make_unit(double *q, const int *level, const int *places)
{
    double square = 0.0, held = 0.0;
    int k, count = 0;
    for (k = 0; k < 4; ++k) {
        const double part = q[places[k]] * q[places[k]];
        square += part;
        held += level[places[k]] == 2 ? part : 0.0;
        count += level[places[k]] == 2;
    }
    for (k = 0; k < 4 && square > 1e-24 && (count == 0 || count == 4 || held > 1.0); ++k)
        q[places[k]] /= sqrt(square);
}

/* Closes m gaps by the states x, near a guess. States with level 2 or 1 are held if that can be, those with 2 longer.
 * Returns 1 if all of them were held, 2 if those with level 2 were, 3 if none were, and 0 if nothing was found.
 * `work` has room for m + m*n + 3*n numbers.
 */
static inline int close_gaps_by(
    Gaps gaps_at, const void *place, double *x, int n, int m, const int *level, double longest, double tolerance,
    double *work)
{
    double *const guess = work + m + m * n + 2 * n;
    int hold, i, trial;
    for (i = 0; i < n; ++i)
        guess[i] = x[i];
    for (hold = 1; hold <= 3; ++hold)
        for (trial = 0; trial < 12 * (hold == 3 ? 2 : 1); ++trial) {
            const double far = trial ? 0.02 * pow(1.35, trial) : 0.0;
            for (i = 0; i < n; ++i)
                x[i] = guess[i] + (level[i] < hold ? far * sin(12.9898 * (i + 1) * trial + 0.7 * i) : 0.0);
            if (approach(gaps_at, place, x, n, m, level, hold, longest, work) <= tolerance)
                return hold;
        }
    for (i = 0; i < n; ++i)
        x[i] = guess[i];
    return 0;
}
"""
