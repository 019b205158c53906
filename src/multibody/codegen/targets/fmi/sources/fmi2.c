/* The functions of FMI 2.0 that FMI 3.0 does not have, or has in another form; see functions.c for the others. */

static void deliver(const Instance *i, Status status, const char *category, const char *message)
{
    if (i->logger) /* messages have no percent signs in them, so that every importer shows them as they are */
        i->logger(i->environment, i->name ? i->name : "", (fmi2Status)status, category, message);
}

FMI_EXPORT const char *FMI(fmi2GetTypesPlatform)(void) { return "default"; }

FMI_EXPORT const char *FMI(fmi2GetVersion)(void) { return "2.0"; }

/* life --------------------------------------------------------------------------------------------------------- */

FMI_EXPORT fmi2Component FMI(fmi2Instantiate)(
    fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *functions,
    fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    return created(
        name, guid, type == fmi2CoSimulation, functions ? functions->componentEnvironment : NULL,
        functions ? functions->logger : NULL);
}

FUNCTION FMI(fmi2SetupExperiment)(
    fmi2Component instance, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    REQUIRE(INSTANTIATED);
    return (fmi2Status)set_up(i, has_tolerance, tolerance, start, has_stop, stop);
}

FUNCTION FMI(fmi2EnterInitializationMode)(fmi2Component instance)
{
    REQUIRE(INSTANTIATED);
    i->state.mode = INITIALIZATION;
    return fmi2OK;
}

/* variables ---------------------------------------------------------------------------------------------------- */

FUNCTION FMI(fmi2GetReal)(fmi2Component instance, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    REQUIRE(ANY);
    return (fmi2Status)get_values(i, vr, n, value);
}

FUNCTION FMI(fmi2SetReal)(fmi2Component instance, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    REQUIRE(ANY & ~TERMINATED);
    return (fmi2Status)set_values(i, vr, n, value);
}

/* All variables are real numbers. */
#define NO_VARIABLES(name, type)                                                                \
    FUNCTION FMI(name)(fmi2Component instance, const fmi2ValueReference vr[], size_t n, type value[])  \
    {                                                                                           \
        REQUIRE(ANY);                                                                           \
        (void)vr, (void)value;                                                                  \
        return n ? (fmi2Status)complain(i, STATUS_ERROR, "There are real variables only.") : fmi2OK; \
    }
NO_VARIABLES(fmi2GetInteger, fmi2Integer)
NO_VARIABLES(fmi2GetBoolean, fmi2Boolean)
NO_VARIABLES(fmi2GetString, fmi2String)
NO_VARIABLES(fmi2SetInteger, const fmi2Integer)
NO_VARIABLES(fmi2SetBoolean, const fmi2Boolean)
NO_VARIABLES(fmi2SetString, const fmi2String)

/* saved states ------------------------------------------------------------------------------------------------- */

FUNCTION FMI(fmi2GetDirectionalDerivative)(
    fmi2Component instance, const fmi2ValueReference unknowns[], size_t n, const fmi2ValueReference knowns[], size_t m,
    const fmi2Real seed[], fmi2Real slopes[])
{
    REQUIRE(EVALUATED);
    return (fmi2Status)directional(i, unknowns, n, knowns, m, seed, slopes);
}

/* model exchange ----------------------------------------------------------------------------------------------- */

FUNCTION FMI(fmi2NewDiscreteStates)(fmi2Component instance, fmi2EventInfo *event)
{
    Status status;
    REQUIRE(EVENT);
    if (!event)
        return (fmi2Status)complain(i, STATUS_ERROR, "There is no room for what happens.");
    memset(event, 0, sizeof *event);
    status = settle(i);
    event->valuesOfContinuousStatesChanged = i->state.moved;
    i->state.moved = 0;
    return (fmi2Status)status;
}

/* co-simulation ------------------------------------------------------------------------------------------------ */

FUNCTION FMI(fmi2SetRealInputDerivatives)(
    fmi2Component instance, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], const fmi2Real value[])
{
    REQUIRE(INSTANTIATED | INITIALIZATION | STEP);
    return (fmi2Status)set_input_rates(i, vr, n, order, value);
}

FUNCTION FMI(fmi2GetRealOutputDerivatives)(
    fmi2Component instance, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], fmi2Real value[])
{
    REQUIRE(STEP | TERMINATED);
    return (fmi2Status)output_rates(i, vr, n, order, value);
}

FUNCTION FMI(fmi2DoStep)(fmi2Component instance, fmi2Real time, fmi2Real length, fmi2Boolean final)
{
    REQUIRE(STEP);
    (void)final;
    return (fmi2Status)do_step(i, time, length);
}

FUNCTION FMI(fmi2CancelStep)(fmi2Component instance)
{
    REQUIRE(0); /* steps are never pending */
    return fmi2Error;
}

FUNCTION FMI(fmi2GetRealStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Real *value)
{
    REQUIRE(STEP | TERMINATED);
    if (kind != fmi2LastSuccessfulTime || !value)
        return fmi2Discard;
    *value = i->state.time;
    return fmi2OK;
}

FUNCTION FMI(fmi2GetBooleanStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Boolean *value)
{
    REQUIRE(STEP | TERMINATED);
    if (kind != fmi2Terminated || !value)
        return fmi2Discard;
    *value = fmi2False;
    return fmi2OK;
}

/* Other questions make sense only where steps run in the background. */
#define NO_STATUS(name, type)                                                \
    FUNCTION FMI(name)(fmi2Component instance, const fmi2StatusKind kind, type *value) \
    {                                                                        \
        REQUIRE(STEP | TERMINATED);                                          \
        (void)kind, (void)value;                                             \
        return fmi2Discard;                                                  \
    }
NO_STATUS(fmi2GetStatus, fmi2Status)
NO_STATUS(fmi2GetIntegerStatus, fmi2Integer)
NO_STATUS(fmi2GetStringStatus, fmi2String)
