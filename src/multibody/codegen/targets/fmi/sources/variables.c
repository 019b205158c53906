/* Access to variables by value reference. */

static double *place_of(Instance *i, unsigned variable)
{
    State *s = &i->state;
    if (variable < FIRST_STATE)
        return &s->time;
    if (variable < FIRST_RATE)
        return s->x + (variable - FIRST_STATE);
    if (variable < FIRST_INPUT)
        return i->rates + (variable - FIRST_RATE);
    if (variable < FIRST_OUTPUT)
        return s->r + (variable - FIRST_INPUT);
    if (variable < FIRST_PARAMETER)
        return i->outputs + (variable - FIRST_OUTPUT);
    return s->p + (variable - FIRST_PARAMETER);
}

static int is_within(unsigned variable, unsigned first, unsigned end)
{
    return variable >= first && variable < end;
}

static Status known(Instance *i, unsigned variable)
{
    if (is_within(variable, FIRST_RATE, FIRST_INPUT))
        return know_rates(i);
    if (is_within(variable, FIRST_OUTPUT, FIRST_PARAMETER))
        return know_outputs(i);
    return settle(i);
}

static Status get_values(Instance *i, const unsigned *variables, size_t n, double *values)
{
    size_t k;
    if (n && (!variables || !values))
        return complain(i, STATUS_ERROR, "There is no room for values.");
    for (k = 0; k < n; ++k) {
        Status status;
        if (variables[k] >= END)
            return complain(i, STATUS_ERROR, "There is no variable with value reference %u.", variables[k]);
        status = known(i, variables[k]);
        if (status == STATUS_OK)
            status = give(i, variables[k], place_of(i, variables[k]), 1, values + k);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* An input beyond its limits is held there, with a warning when it leaves them; a motion whose rates go on is refused. */
static Status within_limits(const Instance *i, unsigned k, double value)
{
    const double held = held_input((int)k, value);
    if (held == value)
        return STATUS_OK;
    if (input_moves[k])
        return complain(i, STATUS_ERROR, "%s is set to %.9g, beyond its limits [%.9g, %.9g], and its rates go on.",
                        variable_names[FIRST_INPUT + k], value, input_limits[2 * k], input_limits[2 * k + 1]);
    if (!i->state.beyond[k])
        complain(i, STATUS_WARNING, "%s is set to %.9g, and held within its limits at %.9g.",
                 variable_names[FIRST_INPUT + k], value, held);
    return STATUS_OK;
}

static Status settable(const Instance *i, unsigned variable, double value)
{
    int modes = 0;
    if (variable >= END)
        return complain(i, STATUS_ERROR, "There is no variable with value reference %u.", variable);
    if (is_within(variable, FIRST_STATE, FIRST_RATE))
        modes = INSTANTIATED | INITIALIZATION;
    else if (is_within(variable, FIRST_INPUT, FIRST_OUTPUT))
        modes = ANY & ~TERMINATED;
    else if (variable >= FIRST_PARAMETER)
        modes = INSTANTIATED | INITIALIZATION | EVENT | STEP;
    if (!(i->state.mode & modes))
        return complain(i, STATUS_ERROR, "%s cannot be set%s.", variable_names[variable], modes ? " in this mode" : "");
    if (!isfinite(value))
        return complain(i, STATUS_ERROR, "%s is set to what is not a finite number.", variable_names[variable]);
    if (is_within(variable, FIRST_INPUT, FIRST_OUTPUT))
        return within_limits(i, variable - FIRST_INPUT, value);
    return STATUS_OK;
}

/* All values, or none if one of them is wrong. */
static Status set_values(Instance *i, const unsigned *variables, size_t n, const double *values)
{
    size_t k;
    int inputs_alone = 1;
    if (n && (!variables || !values))
        return complain(i, STATUS_ERROR, "There are no values.");
    for (k = 0; k < n; ++k)
        if (settable(i, variables[k], values[k]) != STATUS_OK)
            return STATUS_ERROR;
    for (k = 0; k < n; ++k) {
        double *place = place_of(i, variables[k]);
        *place = values[k];
        if (is_within(variables[k], FIRST_INPUT, FIRST_OUTPUT)) {
            const unsigned input = variables[k] - FIRST_INPUT;
            *place = held_input((int)input, values[k]);
            i->state.beyond[input] = *place != values[k];
        }
        if (is_within(variables[k], FIRST_STATE, FIRST_RATE)) {
            i->state.given[variables[k] - FIRST_STATE] = 1;
            i->state.wanted[variables[k] - FIRST_STATE] = values[k];
        }
        inputs_alone = inputs_alone && is_within(variables[k], FIRST_INPUT, FIRST_OUTPUT);
    }
    if (!inputs_alone) {
        model_prepare(i->state.p);
        i->state.open = 1;
    }
    forget(i);
    return STATUS_OK;
}
