/* Life of an instance, messages, and what follows from its state. */

#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static Status complain(const Instance *i, Status status, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    deliver(i, status, status == STATUS_DISCARD ? "logStatusDiscard" : status == STATUS_WARNING ? "logStatusWarning" : "logStatusError", message);
    return status;
}

/* Whether a function may be called now. */
static int allowed(const Instance *i, int modes, const char *function)
{
    if (!i)
        return 0;
    if (i->state.mode & modes)
        return 1;
    complain(i, STATUS_ERROR, "%s must not be called in this mode.", function);
    return 0;
}

/* An input as it acts: held within its limits. */
static double held_input(int k, double value)
{
    return fmin(fmax(value, input_limits[2 * k]), input_limits[2 * k + 1]);
}

static void forget(Instance *i)
{
    i->rates_known = i->outputs_known = 0;
}

static void reset(Instance *i)
{
    State *s = &i->state;
    int k;
    memset(s, 0, sizeof *s);
    s->mode = INSTANTIATED;
    s->open = 1;
    s->tolerance = TOLERANCE;
    memcpy(s->x, start_x, sizeof start_x);
    memcpy(s->p, start_p, sizeof start_p);
    for (k = 0; k < N_R; ++k)
        s->r[k] = held_input(k, 0.0);
    for (k = 0; k < N_F; ++k)
        s->p[N_P + N_C + k] = s->p[formulas[k]];
    model_prepare(s->p);
    forget(i);
}

static void discard(Instance *i)
{
    if (i)
        free(i->name);
    free(i);
}

/* A new instance; NULL if the token is not this model's, or there is no memory. */
static Instance *created(const char *name, const char *token, int co_simulation, void *environment, Logger logger)
{
    Instance *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->co_simulation = co_simulation;
    i->environment = environment;
    i->logger = logger;
    i->name = calloc(1, strlen(name ? name : "") + 1);
    if (!i->name || !name || !*name || !token || strcmp(token, TOKEN) != 0) {
        complain(i, STATUS_ERROR, "%s", i->name && name && *name ? "The token is that of another model." : "The instance has no name.");
        discard(i);
        return NULL;
    }
    memcpy(i->name, name, strlen(name));
    reset(i);
    return i;
}

static Status set_up(Instance *i, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    State *s = &i->state;
    if (!isfinite(start) || (has_stop && !(isfinite(stop) && stop >= start)))
        return complain(i, STATUS_ERROR, "Start and stop time must be finite, and not the wrong way round.");
    if (has_tolerance && !(tolerance > 0.0 && isfinite(tolerance)))
        return complain(i, STATUS_ERROR, "The tolerance must be a positive number.");
    s->time = start;
    s->has_stop = has_stop;
    s->stop = has_stop ? stop : 0.0;
    s->tolerance = has_tolerance ? tolerance : TOLERANCE;
    s->open = 1;
    forget(i);
    return STATUS_OK;
}

static Status exit_initialization(Instance *i)
{
    const Status status = settle(i);
    if (status == STATUS_OK) {
        i->state.mode = i->co_simulation ? STEP : EVENT;
        i->state.moved = 0;
    }
    return status;
}

/* evaluation --------------------------------------------------------------------------------------------------- */

static Status know_rates(Instance *i)
{
    State *s = &i->state;
    const Status status = settle(i);
    if (status == STATUS_OK && !i->rates_known) {
        model_rates(s->time, s->x, s->x + N_Q, s->r, s->p, i->rates, i->rates + N_Q);
        i->rates_known = 1;
    }
    return status;
}

static Status know_outputs(Instance *i)
{
    State *s = &i->state;
    const Status status = settle(i);
    if (status == STATUS_OK && !i->outputs_known) {
        model_outputs(s->time, s->x, s->x + N_Q, s->r, s->p, i->outputs);
        i->outputs_known = 1;
    }
    return status;
}

/* Numbers for the importer; what is not finite is not given away without a word. */
static Status give(const Instance *i, unsigned first, const double *from, size_t n, double *to)
{
    char why[300];
    size_t k;
    for (k = 0; k < n; ++k) {
        if (!isfinite(from[k])) {
            describe_stop(&i->state, i->state.time, i->state.x, i->state.r, why, sizeof why);
            return complain(i, STATUS_DISCARD, "%s is not a finite number at t = %.17g.%s", variable_names[first + k], i->state.time, why);
        }
        to[k] = from[k];
    }
    return STATUS_OK;
}

static Status get_states(Instance *i, double *x, size_t n)
{
    const Status status = settle(i);
    if (n != N_X || (n && !x))
        return complain(i, STATUS_ERROR, "There are %d states.", (int)N_X);
    return status == STATUS_OK ? give(i, FIRST_STATE, i->state.x, n, x) : status;
}

static Status get_rates(Instance *i, double *rates, size_t n)
{
    const Status status = know_rates(i);
    if (n != N_X || (n && !rates))
        return complain(i, STATUS_ERROR, "There are %d states.", (int)N_X);
    return status == STATUS_OK ? give(i, FIRST_RATE, i->rates, n, rates) : status;
}

/* A state that the integrator tries. One that is not finite is refused: a shorter step may help. */
static Status set_states(Instance *i, const double *x, size_t n)
{
    size_t k;
    if (n != N_X || (n && !x))
        return complain(i, STATUS_ERROR, "There are %d states.", (int)N_X);
    for (k = 0; k < n; ++k)
        if (!isfinite(x[k]))
            return complain(i, STATUS_DISCARD, "%s is set to what is not a finite number.", variable_names[FIRST_STATE + k]);
    if (n)
        memcpy(i->state.x, x, n * sizeof *x);
    forget(i);
    return STATUS_OK;
}

static Status set_time(Instance *i, double time)
{
    if (!isfinite(time))
        return complain(i, STATUS_ERROR, "The time is not a finite number.");
    i->state.time = time;
    forget(i);
    return STATUS_OK;
}
