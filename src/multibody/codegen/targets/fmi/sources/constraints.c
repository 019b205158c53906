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

/* What the gaps of start values depend on. */
typedef struct {
    double t;
    const double *x, *r, *p;
} StartPlace;

static void gaps_of_coordinates(const void *place, double *gaps, double *slopes)
{
    const StartPlace *s = place;
    double a[N_RATE_GAPS + 1], b[N_RATE_GAPS * N_U + 1];
    model_starting(s->t, s->x, s->x + N_Q, s->r, s->p, gaps, slopes, a, b);
}

static void gaps_of_speeds(const void *place, double *gaps, double *slopes)
{
    const StartPlace *s = place;
    double a[N_GAPS + 1], b[N_GAPS * N_Q + 1];
    model_starting(s->t, s->x, s->x + N_Q, s->r, s->p, a, b, gaps, slopes);
}

/* What the importer wants to begin with, and the levels by which values are held: 2 for those that it has set, 1 for
 * those that the model gives. Some importers set all values to those of the description, and change a few: with
 * `changed_alone`, the others do not count as set.
 */
static void wanted_start(const State *s, int changed_alone, double *y, int *level)
{
    int k;
    for (k = 0; k < N_X; ++k) {
        const int own = s->given[k] && !(changed_alone && s->wanted[k] == start_x[k]);
        y[k] = own ? s->wanted[k] : guess_x[k];
        level[k] = own ? 2 : written_x[k];
    }
    for (k = 0; k < N_QUATERNIONS; ++k)
        make_unit(y, level, quaternions + 4 * k);
}

/* Start values that keep the constraints: what the importer has set is held, if that can be, and so is what the model
 * gives; the others follow. First coordinates, then speeds. Returns whether a start was found, and was needed.
 */
static int begin_closed(State *s, double *x)
{
    double y[N_X + 1], nearer[N_X + 1], work[N_WORK + 1];
    const StartPlace place = {s->time, y, s->r, s->p};
    int level[N_X + 1], held = 0, held_speeds = 0;
    if (!(gap_of(s->time, x, s->r, s->p, nearer) > GAP))
        return 0;
    for (s->changed_alone = 0;; s->changed_alone = 1) {
        wanted_start(s, s->changed_alone, y, level);
        held = close_gaps_by(gaps_of_coordinates, &place, y, N_Q, N_GAPS, level, LONGEST_STEP, GAP, work);
        if (held)
            held_speeds = close_gaps_by(gaps_of_speeds, &place, y + N_Q, N_U, N_RATE_GAPS, level + N_Q, HUGE_VAL, GAP, work);
        if (s->changed_alone || (held && held < 3 && held_speeds && held_speeds < 3))
            break;
    }
    if (!held || !(gap_of(s->time, y, s->r, s->p, nearer) <= 10.0 * GAP))
        return 0;
    memcpy(x, y, N_X * sizeof *x);
    return 1;
}

/* How far the constraints are from losing rank at a state: the smallest pivot that counts, relative to the largest. */
static double rank_margin(double t, const double *x, const double *r, const double *p)
{
    double rows[N_RATE_GAPS * N_U + 1], gaps[N_RATE_GAPS + 1], first = 0.0, margin = 1.0;
    const StartPlace place = {t, x, r, p};
    int i, j, k;
    if (!N_RANK)
        return 1.0;
    gaps_of_speeds(&place, gaps, rows);
    for (k = 0; k < N_RANK; ++k) {
        double largest = 0.0;
        int row = 0;
        for (i = 0; i < N_RATE_GAPS; ++i) {
            double square = 0.0;
            for (j = 0; j < N_U; ++j)
                square += rows[i * N_U + j] * rows[i * N_U + j];
            if (square > largest) {
                largest = square;
                row = i;
            }
        }
        largest = sqrt(largest);
        first = k ? first : largest;
        margin = first > 0.0 ? largest / first : 0.0;
        if (!(margin > 1e-14))
            return 0.0;
        for (j = 0; j < N_U; ++j)
            rows[row * N_U + j] /= largest;
        for (i = 0; i < N_RATE_GAPS; ++i) {
            double share = 0.0;
            for (j = 0; j < N_U; ++j)
                share += rows[i * N_U + j] * rows[row * N_U + j];
            for (j = 0; j < N_U && i != row; ++j)
                rows[i * N_U + j] -= share * rows[row * N_U + j];
        }
        for (j = 0; j < N_U; ++j)
            rows[row * N_U + j] = 0.0;
    }
    return margin;
}

/* Says what is wrong at a state that a solver does not leave: a singular position by its coordinates. */
static void describe_stop(const State *s, double t, const double *x, const double *r, char *text, size_t size)
{
    double rates[N_X + 1];
    size_t used = 0;
    int k, lost = -1, worst = -1;
    const double margin = rank_margin(t, x, r, s->p);
    model_rates(t, x, x + N_Q, r, s->p, rates, rates + N_Q);
    for (k = 0; k < N_X; ++k)
        if (!isnan(rates[k]) && (worst < 0 || fabs(rates[k]) > fabs(rates[worst])))
            worst = k; /* what is not a number comes from loads outside of their domain as well */
    for (k = N_Q - 1; k >= 0; --k)
        if (!isfinite(rates[k]))
            lost = k; /* no load has a part in it */
    text[0] = 0;
    if (!(margin > 1e-4))
        used += (size_t)snprintf(text, size, " The position is singular: the constraints lose rank there.");
    else if (lost >= 0)
        used += (size_t)snprintf(text, size, " The position is singular: the speeds do not determine the rate of %s.",
                                 variable_names[FIRST_STATE + lost]);
    else if (worst >= 0 && fabs(rates[worst]) >= 1e6)
        used += (size_t)snprintf(text, size, " The position is singular, or close to it: the rate of %s is %g.",
                                 variable_names[FIRST_STATE + worst], rates[worst]);
    for (k = 0; k < N_Q && used > 0 && used + 40 < size; ++k)
        used += (size_t)snprintf(text + used, size - used, "%s %s = %.9g", k ? "," : " It is", variable_names[FIRST_STATE + k], x[k]);
}

/* Tells the importer which of its start values the constraints do not allow; changes of the last digits do not count. */
static void warn_of_changes(const Instance *i, const double *x)
{
    const State *s = &i->state;
    double y[N_X + 1];
    int k, level[N_X + 1];
    wanted_start(s, s->changed_alone, y, level);
    for (k = 0; k < N_X; ++k)
        if (level[k] == 2 && fabs(x[k] - y[k]) > 1e-3 * fmax(1.0, fabs(y[k])))
            complain(i, STATUS_WARNING, "%s was set to %.9g, and begins at %.9g: the constraints do not allow it.",
                     variable_names[FIRST_STATE + k], y[k], x[k]);
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
            s->moved |= begin_closed(s, x);
        gap = close_gaps(s->time, x, s->r, s->p, &s->moved);
        if (!(gap <= GAP))
            return complain(i, STATUS_ERROR, "The constraints cannot be kept at t = %.17g: a gap of %g remains.", s->time, gap);
        if (s->mode == INITIALIZATION)
            warn_of_changes(i, x);
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
