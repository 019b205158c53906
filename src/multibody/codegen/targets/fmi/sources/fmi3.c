/* The functions of FMI 3.0 that FMI 2.0 does not have, or has in another form; see functions.c for the others. What the
 * model has no use for is in fmi3_absent.c.
 */

static void deliver(const Instance *i, Status status, const char *category, const char *message)
{
    if (i->logger)
        i->logger(i->environment, (fmi3Status)status, category, message);
}

static size_t width_of(unsigned variable)
{
    int k;
    for (k = 0; k < N_ARRAYS; ++k)
        if (variable == (unsigned)arrays[2 * k])
            return (size_t)arrays[2 * k + 1];
    return 1;
}

/* The references of all elements, to be freed: there must be m of them, one for each number. NULL with a message if not. */
static unsigned *elements_of(const Instance *i, const unsigned *variables, size_t n, size_t m)
{
    unsigned *elements;
    size_t j, k, used = 0;
    if (n && !variables) {
        complain(i, STATUS_ERROR, "There are no value references.");
        return NULL;
    }
    for (k = 0; k < n; ++k)
        used += width_of(variables[k]);
    if (used != m) {
        complain(i, STATUS_ERROR, "There must be one number for each variable, and for each element of an array.");
        return NULL;
    }
    elements = malloc((m + 1) * sizeof *elements);
    if (!elements)
        complain(i, STATUS_ERROR, "There is no memory for value references.");
    for (k = used = 0; elements && k < n; ++k)
        for (j = 0; j < width_of(variables[k]); ++j)
            elements[used++] = variables[k] + (unsigned)j;
    return elements;
}

FMI_EXPORT const char *FMI(fmi3GetVersion)(void) { return "3.0"; }

/* life --------------------------------------------------------------------------------------------------------- */

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateModelExchange)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)resources, (void)visible, (void)logging;
    return created(name, token, 0, environment, log);
}

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference intermediate[], size_t n,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return, (void)intermediate, (void)n;
    (void)update;
    return created(name, token, 1, environment, log);
}

FUNCTION FMI(fmi3EnterInitializationMode)(
    fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop,
    fmi3Float64 stop)
{
    Status status;
    REQUIRE(INSTANTIATED);
    status = set_up(i, has_tolerance, tolerance, start, has_stop, stop);
    if (status == STATUS_OK)
        i->state.mode = INITIALIZATION;
    return (fmi3Status)status;
}

/* variables ---------------------------------------------------------------------------------------------------- */

FUNCTION FMI(fmi3GetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, fmi3Float64 values[], size_t m)
{
    unsigned *elements;
    Status status = STATUS_ERROR;
    REQUIRE(ANY);
    elements = elements_of(i, references, n, m);
    if (elements)
        status = get_values(i, elements, m, values);
    free(elements);
    return (fmi3Status)status;
}

FUNCTION FMI(fmi3SetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, const fmi3Float64 values[], size_t m)
{
    unsigned *elements;
    Status status = STATUS_ERROR;
    REQUIRE(ANY & ~TERMINATED);
    elements = elements_of(i, references, n, m);
    if (elements)
        status = set_values(i, elements, m, values);
    free(elements);
    return (fmi3Status)status;
}

/* derivatives -------------------------------------------------------------------------------------------------- */

FUNCTION FMI(fmi3GetDirectionalDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n, const fmi3ValueReference knowns[], size_t m,
    const fmi3Float64 seed[], size_t seeds, fmi3Float64 slopes[], size_t sizes)
{
    unsigned *of, *by;
    Status status = STATUS_ERROR;
    REQUIRE(EVALUATED);
    of = elements_of(i, unknowns, n, sizes);
    by = of ? elements_of(i, knowns, m, seeds) : NULL;
    if (by)
        status = directional(i, of, sizes, by, seeds, seed, slopes);
    free(of);
    free(by);
    return (fmi3Status)status;
}

FUNCTION FMI(fmi3GetAdjointDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n, const fmi3ValueReference knowns[], size_t m,
    const fmi3Float64 seed[], size_t seeds, fmi3Float64 slopes[], size_t sizes)
{
    unsigned *of, *by;
    Status status = STATUS_ERROR;
    REQUIRE(EVALUATED);
    of = elements_of(i, unknowns, n, seeds);
    by = of ? elements_of(i, knowns, m, sizes) : NULL;
    if (by)
        status = adjoint(i, of, seeds, by, sizes, seed, slopes);
    free(of);
    free(by);
    return (fmi3Status)status;
}

/* model exchange ----------------------------------------------------------------------------------------------- */

FUNCTION FMI(fmi3UpdateDiscreteStates)(
    fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
    fmi3Boolean *values_changed, fmi3Boolean *has_next_event, fmi3Float64 *next_event)
{
    Status status;
    REQUIRE(EVENT);
    if (!again || !terminate || !nominals_changed || !values_changed || !has_next_event || !next_event)
        return (fmi3Status)complain(i, STATUS_ERROR, "There is no room for what happens.");
    *again = *terminate = *nominals_changed = *has_next_event = false;
    *next_event = 0.0;
    status = settle(i);
    *values_changed = i->state.moved != 0;
    i->state.moved = 0;
    return (fmi3Status)status;
}

FUNCTION FMI(fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t *n)
{
    REQUIRE(ANY);
    return n ? (*n = 0, fmi3OK) : fmi3Error;
}

FUNCTION FMI(fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t *n)
{
    REQUIRE(ANY);
    return n ? (*n = N_X, fmi3OK) : fmi3Error;
}

/* co-simulation ------------------------------------------------------------------------------------------------ */

FUNCTION FMI(fmi3GetOutputDerivatives)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, const fmi3Int32 orders[],
    fmi3Float64 values[], size_t m)
{
    REQUIRE(STEP | TERMINATED);
    if (n != m)
        return (fmi3Status)complain(i, STATUS_ERROR, "There must be one number for each variable.");
    return (fmi3Status)output_rates(i, references, n, orders, values);
}

FUNCTION FMI(fmi3DoStep)(
    fmi3Instance instance, fmi3Float64 time, fmi3Float64 length, fmi3Boolean final, fmi3Boolean *event_needed,
    fmi3Boolean *terminate, fmi3Boolean *early_return, fmi3Float64 *reached)
{
    Status status;
    REQUIRE(STEP);
    (void)final;
    if (!event_needed || !terminate || !early_return || !reached)
        return (fmi3Status)complain(i, STATUS_ERROR, "There is no room for what happens.");
    *event_needed = *terminate = *early_return = false;
    status = do_step(i, time, length);
    *reached = i->state.time;
    return (fmi3Status)status;
}
