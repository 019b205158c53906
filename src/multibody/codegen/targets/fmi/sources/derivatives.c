/* Directional derivatives of rates and outputs by time, states, inputs and parameters, without any differences. */

enum { SEED_STATE = N_R + 1, SEED_INPUT = SEED_STATE + N_X, SEED_PARAMETER = SEED_INPUT + N_R, FOLLOWS = SEED_PARAMETER + N_P };

/* Where the seed of a known variable goes, behind the inputs: time, states, inputs, parameters. -1 if there is none. */
static int seed_of(unsigned variable)
{
    if (variable < FIRST_STATE)
        return N_R;
    if (variable < FIRST_RATE)
        return (int)(SEED_STATE + variable - FIRST_STATE);
    if (is_within(variable, FIRST_INPUT, FIRST_OUTPUT))
        return (int)(SEED_INPUT + variable - FIRST_INPUT);
    if (is_within(variable, FIRST_PARAMETER, END))
        return (int)(SEED_PARAMETER + variable - FIRST_PARAMETER);
    return -1;
}

/* Where the derivative of an unknown variable is found. -1 if there is none. */
static int slope_of(unsigned variable)
{
    if (is_within(variable, FIRST_RATE, FIRST_INPUT))
        return (int)(variable - FIRST_RATE);
    if (is_within(variable, FIRST_OUTPUT, FIRST_PARAMETER))
        return (int)(N_X + variable - FIRST_OUTPUT);
    return -1;
}

static Status may_differ(Instance *i, const unsigned *unknowns, size_t n, const unsigned *knowns, size_t m)
{
    size_t k;
    if (!DERIVATIVES)
        return complain(i, STATUS_ERROR, "The model was written without derivatives.");
    if (CONSTRAINED && i->state.mode == INITIALIZATION)
        return complain(i, STATUS_ERROR, "During initialization states follow from constraints, and there are no derivatives by them.");
    if ((n && !unknowns) || (m && !knowns))
        return complain(i, STATUS_ERROR, "There are no value references.");
    for (k = 0; k < n; ++k)
        if (slope_of(unknowns[k]) < 0)
            return complain(i, STATUS_ERROR, "The variable with value reference %u is neither a rate nor an output.", unknowns[k]);
    for (k = 0; k < m; ++k)
        if (seed_of(knowns[k]) < 0)
            return complain(i, STATUS_ERROR, "There are no derivatives by the variable with value reference %u.", knowns[k]);
    return settle(i);
}

/* Inputs, with room for seeds behind them; then whether parameters follow their formulas. */
static void seeded(const Instance *i, double *r)
{
    const double *p = i->state.p;
    int k;
    memset(r, 0, (N_R + N_SEEDS + 1) * sizeof *r);
    memcpy(r, i->state.r, N_R * sizeof *r);
    for (k = 0; k < N_F; ++k)
        r[FOLLOWS + k] = p[formulas[k]] == p[N_P + N_C + k] ? 1.0 : 0.0;
}

/* Derivatives of all rates and outputs, in the direction of the seeds. */
static void slopes_along(const Instance *i, const double *r, double *slopes)
{
    const State *s = &i->state;
    memset(slopes, 0, (N_X + N_Y + 1) * sizeof *slopes);
    model_along(s->time, s->x, s->x + N_Q, r, s->p, slopes, slopes + N_X);
}

static Status directional(
    Instance *i, const unsigned *unknowns, size_t n, const unsigned *knowns, size_t m, const double *seed, double *result)
{
    double r[N_R + N_SEEDS + 1], slopes[N_X + N_Y + 1];
    size_t k;
    Status status = may_differ(i, unknowns, n, knowns, m);
    if (status == STATUS_OK && ((n && !result) || (m && !seed)))
        status = complain(i, STATUS_ERROR, "There is no room for derivatives.");
    if (status != STATUS_OK)
        return status;
    seeded(i, r);
    for (k = 0; k < m; ++k)
        r[seed_of(knowns[k])] += seed[k];
    slopes_along(i, r, slopes);
    for (k = 0; k < n && status == STATUS_OK; ++k)
        status = give(i, unknowns[k], slopes + slope_of(unknowns[k]), 1, result + k);
    return status;
}

#if FMI_VERSION == 3
/* A row of seeds times the matrix of derivatives, column by column. */
static Status adjoint(
    Instance *i, const unsigned *unknowns, size_t n, const unsigned *knowns, size_t m, const double *seed, double *result)
{
    double r[N_R + N_SEEDS + 1], slopes[N_X + N_Y + 1], sum;
    size_t j, k;
    Status status = may_differ(i, unknowns, n, knowns, m);
    if (status == STATUS_OK && ((n && !seed) || (m && !result)))
        status = complain(i, STATUS_ERROR, "There is no room for derivatives.");
    for (k = 0; k < m && status == STATUS_OK; ++k) {
        seeded(i, r);
        r[seed_of(knowns[k])] = 1.0;
        slopes_along(i, r, slopes);
        for (j = 0, sum = 0.0; j < n; ++j)
            sum += seed[j] * slopes[slope_of(unknowns[j])];
        status = give(i, knowns[k], &sum, 1, result + k);
    }
    return status;
}
#endif

/* First derivatives of outputs by time, along the motion. */
static Status output_rates(Instance *i, const unsigned *outputs, size_t n, const int *orders, double *values)
{
    double r[N_R + N_SEEDS + 1], slopes[N_X + N_Y + 1];
    size_t k;
    Status status = may_differ(i, outputs, n, NULL, 0);
    if (status == STATUS_OK && n && (!orders || !values))
        status = complain(i, STATUS_ERROR, "There is no room for derivatives.");
    for (k = 0; k < n && status == STATUS_OK; ++k)
        if (orders[k] != 1 || !is_within(outputs[k], FIRST_OUTPUT, FIRST_PARAMETER))
            status = complain(i, STATUS_ERROR, "There are first derivatives of outputs, and no others.");
    if (status == STATUS_OK)
        status = know_rates(i);
    if (status != STATUS_OK)
        return status;
    seeded(i, r);
    r[N_R] = 1.0;
    memcpy(r + SEED_STATE, i->rates, N_X * sizeof *r);
    memcpy(r + SEED_INPUT, i->state.r_rates[0], N_R * sizeof *r);
    slopes_along(i, r, slopes);
    for (k = 0; k < n && status == STATUS_OK; ++k)
        status = give(i, outputs[k], slopes + slope_of(outputs[k]), 1, values + k);
    return status;
}
