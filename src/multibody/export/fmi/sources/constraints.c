/* Back onto the constraints, by Newton's method with the smallest correction in the sense of kinetic energy. */

enum { NEWTON_STEPS = 50 };
#define LONGEST_STEP 0.6 /* in radians and metres: no leap to another way of assembly */

/* The larger of the gaps of positions and speeds, and a state that is nearer to the constraints. */
static double gap_of(double t, const double *x, const double *r, const double *p, double *nearer)
{
    double gaps[2] = {0.0, 0.0};
    if (CONSTRAINED)
        model_closing(t, x, x + N_Q, r, p, nearer, nearer + N_Q, gaps);
    return isfinite(gaps[0] + gaps[1]) ? fmax(gaps[0], gaps[1]) : HUGE_VAL;
}

/* Moves a state with gaps until they are as small as rounding lets them become; returns the gap that remains. */
static double close_gaps(double t, double *x, const double *r, const double *p, int *moved)
{
    double nearer[N_X + 1], before = HUGE_VAL, gap = 0.0;
    int k;
    for (k = 0; k < NEWTON_STEPS; ++k) {
        gap = gap_of(t, x, r, p, nearer);
        if (!isfinite(gap) || gap <= (k ? 1e-3 * GAP : GAP) || (gap <= GAP && gap > 0.5 * before))
            break;
        memcpy(x, nearer, N_X * sizeof *x);
        *moved = 1;
        before = gap;
    }
    return gap;
}

/* A step of limited length; none where there is no value. Returns how long it should have been. */
static double step_towards(double *x, const double *nearer, int n, double limit)
{
    double longest = 0.0;
    int k;
    for (k = 0; k < n; ++k)
        longest = isfinite(nearer[k]) ? fmax(longest, fabs(nearer[k] - x[k])) : HUGE_VAL;
    if (isfinite(longest))
        for (k = 0; k < n; ++k)
            x[k] += (nearer[k] - x[k]) * fmin(1.0, limit / fmax(longest, 1e-300));
    return longest;
}

/* Start values that keep the constraints: what was given stays, if that can be. First coordinates, then speeds, from the
 * guess that the model was made with where nothing was set. Returns whether a start was found, and was needed.
 */
static int begin_closed(double t, double *x, const double *r, const double *p)
{
    double y[N_X + 1], nearer[N_X + 1], gaps[2] = {0.0, 0.0};
    int k, speeds, first, n;
    if (!(gap_of(t, x, r, p, nearer) > GAP))
        return 0;
    for (k = 0; k < N_X; ++k)
        y[k] = x[k] == start_x[k] ? guess_x[k] : x[k];
    for (speeds = 0; speeds < 2; ++speeds) {
        first = speeds ? N_Q : 0;
        n = speeds ? N_U : N_Q;
        for (k = 0; k < NEWTON_STEPS; ++k) {
            model_starting(t, y, y + N_Q, r, p, nearer, nearer + N_Q, gaps);
            if (!(step_towards(y + first, nearer + first, n, speeds ? HUGE_VAL : LONGEST_STEP) > 1e-3 * GAP))
                break;
        }
    }
    if (!(gap_of(t, y, r, p, nearer) <= GAP))
        return 0;
    memcpy(x, y, N_X * sizeof *x);
    return 1;
}

/* Keeps the constraints after something was set from outside, in the modes in which the model may move its state. */
static Status settle(Instance *i)
{
    State *s = &i->state;
    double x[N_X + 1], gap;
    if (!s->open || !(s->mode & (INITIALIZATION | EVENT | STEP)))
        return STATUS_OK;
    if (CONSTRAINED) {
        memcpy(x, s->x, sizeof x);
        if (s->mode == INITIALIZATION)
            s->moved |= begin_closed(s->time, x, s->r, s->p);
        gap = close_gaps(s->time, x, s->r, s->p, &s->moved);
        if (!(gap <= GAP))
            return complain(i, STATUS_ERROR, "The constraints cannot be kept at t = %.17g: a gap of %g remains.", s->time, gap);
        memcpy(s->x, x, sizeof x);
        forget(i);
    }
    s->open = 0;
    return STATUS_OK;
}

/* Whether an integrator outside has drifted so far from the constraints that an event should bring the state back. */
static int drifted(Instance *i)
{
    State *s = &i->state;
    double nearer[N_X + 1];
    if (!CONSTRAINED || gap_of(s->time, s->x, s->r, s->p, nearer) <= fmax(GAP, 10.0 * s->tolerance))
        return 0;
    s->open = 1;
    return 1;
}
