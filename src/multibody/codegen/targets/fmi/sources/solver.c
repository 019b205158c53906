/* From one communication point to the next: the method of Dormand & Prince of order 5.
 *
 * Coefficients and control of the step as in Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, 2nd
 * edition 1993, sections II.4 and II.5. Between communication points an input is the polynomial r + r'*s + r''*s^2/2 +
 * r'''*s^3/6 in the time s since the last point; without derivatives it is constant. After every step the state is
 * brought back onto the constraints.
 */

enum { STAGES = 7, MOST_STEPS = 1000000 };

static const double ahead[STAGES] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
static const double stage_weights[STAGES][STAGES - 1] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {1.0 / 5, 0.0, 0.0, 0.0, 0.0, 0.0},
    {3.0 / 40, 9.0 / 40, 0.0, 0.0, 0.0, 0.0},
    {44.0 / 45, -56.0 / 15, 32.0 / 9, 0.0, 0.0, 0.0},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0.0, 0.0},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0.0},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double error_weights[STAGES] = {
    71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* The inputs, s seconds after the communication point. */
static void inputs_at(const State *at, double s, double *r)
{
    int k;
    for (k = 0; k < N_R; ++k)
        r[k] = held_input(k, at->r[k] + s * (at->r_rates[0][k] + s / 2.0 * (at->r_rates[1][k] + s / 3.0 * at->r_rates[2][k])));
}

static void rates_at(const State *at, double t, const double *x, double *rates)
{
    double r[N_R + 1];
    inputs_at(at, t - at->time, r);
    model_rates(t, x, x + N_Q, r, at->p, rates, rates + N_Q);
}

/* One step from x to end, with rates[0] at x and rates[6] at the end; returns the error, 1 if it is just allowed. */
static double stepped(const State *at, double t, double h, const double *x, double rates[STAGES][N_X + 1], double *end)
{
    double sum = 0.0;
    int k, j, n;
    for (k = 1; k < STAGES; ++k) {
        for (n = 0; n < N_X; ++n) {
            double slope = 0.0;
            for (j = 0; j < k; ++j)
                slope += stage_weights[k][j] * rates[j][n];
            end[n] = x[n] + h * slope;
        }
        rates_at(at, t + ahead[k] * h, end, rates[k]);
    }
    for (n = 0; n < N_X; ++n) {
        const double size = at->tolerance * (0.01 + fmax(fabs(x[n]), fabs(end[n])));
        double error = 0.0;
        for (k = 0; k < STAGES; ++k)
            error += error_weights[k] * rates[k][n];
        sum += (h * error / size) * (h * error / size);
        if (!isfinite(end[n]) || !isfinite(rates[STAGES - 1][n]))
            return HUGE_VAL;
    }
    return isfinite(sum) ? sqrt(sum / (N_X ? N_X : 1)) : HUGE_VAL;
}

/* A first guess: states may change by a hundredth (II.4). */
static double first_step(const State *at, const double *x, const double *rates, double most)
{
    double size = 0.0, speed = 0.0, h;
    int n;
    for (n = 0; n < N_X; ++n) {
        const double scale = 0.01 + fabs(x[n]);
        size += (x[n] / scale) * (x[n] / scale);
        speed += (rates[n] / scale) * (rates[n] / scale);
    }
    h = size > 1e-10 && speed > 1e-10 ? 0.01 * sqrt(size / speed) : 1e-6;
    return fmin(h * pow(fmin(1.0, at->tolerance / 1e-6), 0.2), most);
}

/* Moves (t, x) to the end as far as possible; `at` is the communication point. Returns whether the end was reached;
 * if not, and a loop is at a dead point, `dead` is its number, and else -1.
 */
static int integrated(
    const State *at, double *t, double *x, double *step, double *last_error, double *largest, int *dead, double end)
{
    double rates[STAGES][N_X + 1], next[N_X + 1], r[N_R + 1];
    long tries;
    const double span = end - at->time;
    const double whole = FIXED_STEP > 0.0 ? span / ceil(span / FIXED_STEP - 1e-9) : 0.0;
    rates_at(at, *t, x, rates[0]);
    if (!(*step > 0.0))
        *step = first_step(at, x, rates[0], span);
    for (tries = 0; tries < MOST_STEPS; ++tries) {
        const double left = end - *t, wanted = whole > 0.0 ? whole : *step;
        const int last = wanted >= left * (1.0 - 1e-10);
        const double h = last ? left : wanted;
        const double after = last ? end : *t + h;
        double error, factor;
        int moved = 0;
        if (left <= 0.0)
            return 1;
        if (after == *t || !isfinite(h))
            return 0;
        error = stepped(at, *t, h, x, rates, next);
        if (error > 1.0 && whole <= 0.0) {
            *step = h * fmax(0.2, isfinite(error) ? 0.9 / pow(error, 0.2) : 0.0);
            continue;
        }
        inputs_at(at, after - at->time, r);
        if (!isfinite(error) || (CONSTRAINED && !(close_gaps(after, next, r, at->p, &moved) <= GAP))) {
            if (whole > 0.0)
                return 0;
            *step = 0.25 * h;
            continue;
        }
        factor = pow(error, 0.17) / (0.9 * pow(*last_error, 0.04)); /* PI control, beta = 0.04 */
        if (!last || h / fmin(5.0, fmax(1.0 / 6.0, factor)) > *step)
            *step = h / fmin(5.0, fmax(1.0 / 6.0, factor));
        *last_error = fmax(error, 1e-4);
        if ((*dead = dead_point(at, largest, *t, x, after, next)) >= 0)
            return 0;
        *t = after;
        memcpy(x, next, N_X * sizeof *x);
        if (moved)
            rates_at(at, *t, x, rates[0]);
        else
            memcpy(rates[0], rates[STAGES - 1], N_X * sizeof(double));
    }
    return 0;
}

/* The whole way from one communication point to the next, or the part of it that is possible; an error if it is none. */
static Status do_step(Instance *i, double from, double length)
{
    State *s = &i->state;
    const double end = from + length, near = 1e-9 * fmax(1.0, fabs(s->time));
    double t = s->time, x[N_X + 1], r[N_R + 1];
    char why[300];
    Status status;
    int done, dead = -1;
    if (!isfinite(end) || length < 0.0 || !(fabs(from - s->time) <= near))
        return complain(i, STATUS_ERROR, "A step must begin at the current time %.17g and go forward.", s->time);
    if (s->has_stop && end > s->stop + 1e-9 * fmax(1.0, fabs(s->stop)))
        return complain(i, STATUS_ERROR, "The step ends after the stop time %.17g.", s->stop);
    status = settle(i);
    if (status != STATUS_OK || length == 0.0)
        return status;
    memcpy(x, s->x, sizeof x);
    if (!(s->last_error > 0.0))
        s->last_error = 1e-4;
    done = integrated(s, &t, x, &s->step, &s->last_error, s->largest, &dead, end);
    inputs_at(s, t - s->time, r);
    memcpy(s->r, r, sizeof r);
    memset(s->r_rates, 0, sizeof s->r_rates);
    memcpy(s->x, x, sizeof x);
    s->time = t;
    forget(i);
    if (done)
        return STATUS_OK;
    s->step = 0.0;
    status = t > from ? STATUS_DISCARD : STATUS_ERROR; /* to try again leads nowhere, and some importers do so for ever */
    if (dead >= 0)
        return complain_of_dead_point(i, status, dead, t, x);
    describe_stop(s, t, x, r, why, sizeof why);
    return complain(i, status, "The solver gets no further than t = %.17g.%s", t, why);
}

#if FMI_VERSION == 2
/* Derivatives of inputs, for the next step. */
static Status set_input_rates(Instance *i, const unsigned *inputs, size_t n, const int *orders, const double *values)
{
    size_t k;
    if (n && (!inputs || !orders || !values))
        return complain(i, STATUS_ERROR, "There are no values.");
    for (k = 0; k < n; ++k)
        if (!is_within(inputs[k], FIRST_INPUT, FIRST_OUTPUT) || orders[k] < 1 || orders[k] > ORDERS || !isfinite(values[k]))
            return complain(i, STATUS_ERROR, "Derivatives are those of inputs, of order 1 to %d, and finite.", (int)ORDERS);
    for (k = 0; k < n; ++k)
        i->state.r_rates[orders[k] - 1][inputs[k] - FIRST_INPUT] = values[k];
    return STATUS_OK;
}
#endif
