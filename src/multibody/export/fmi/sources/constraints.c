/* Back onto the constraints, by Newton's method with the smallest correction in the sense of kinetic energy. */

enum { NEWTON_STEPS = 50 };

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

/* Keeps the constraints after something was set from outside, in the modes in which the model may move its state. */
static Status settle(Instance *i)
{
    State *s = &i->state;
    double x[N_X + 1], gap;
    if (!s->open || !(s->mode & (INITIALIZATION | EVENT | STEP)))
        return STATUS_OK;
    if (CONSTRAINED) {
        memcpy(x, s->x, sizeof x);
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
