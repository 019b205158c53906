/* Functions that FMI 2.0 and FMI 3.0 have in common. What differs is in the header of each version: the names of types,
 * the prefix of functions, and a few names.
 */

#define REQUIRE(modes)      \
    Instance *i = instance; \
    if (!allowed(i, modes, __func__)) \
        return FMI_ERROR

#define FUNCTION FMI_EXPORT FmiStatus

FUNCTION FMI_NAME(SetDebugLogging)(FmiInstance instance, FmiBoolean on, size_t n, const FmiString categories[])
{
    REQUIRE(ANY);
    (void)on, (void)n, (void)categories; /* there are messages about errors alone, and these are always given */
    return FMI_OK;
}

/* life --------------------------------------------------------------------------------------------------------- */

FMI_EXPORT void FMI_NAME(FreeInstance)(FmiInstance instance) { discard(instance); }

FUNCTION FMI_NAME(ExitInitializationMode)(FmiInstance instance)
{
    REQUIRE(INITIALIZATION);
    return (FmiStatus)exit_initialization(i);
}

FUNCTION FMI_NAME(Terminate)(FmiInstance instance)
{
    REQUIRE(RUNNING);
    i->state.mode = TERMINATED;
    return FMI_OK;
}

FUNCTION FMI_NAME(Reset)(FmiInstance instance)
{
    REQUIRE(ANY);
    reset(i);
    return FMI_OK;
}

/* saved states ------------------------------------------------------------------------------------------------- */

FUNCTION STATE_FUNCTION(Get)(FmiInstance instance, FmiState *state)
{
    REQUIRE(ANY);
    return (FmiStatus)take_snapshot(i, state);
}

FUNCTION STATE_FUNCTION(Set)(FmiInstance instance, FmiState state)
{
    REQUIRE(ANY);
    return (FmiStatus)put_back(i, state);
}

FUNCTION STATE_FUNCTION(Free)(FmiInstance instance, FmiState *state)
{
    (void)instance;
    return (FmiStatus)free_snapshot(state);
}

FUNCTION SERIALIZED_SIZE(FmiInstance instance, FmiState state, size_t *size)
{
    REQUIRE(ANY);
    if (!state || !size)
        return (FmiStatus)complain(i, STATUS_ERROR, "There is no state.");
    *size = sizeof(Snapshot);
    return FMI_OK;
}

FUNCTION STATE_FUNCTION(Serialize)(FmiInstance instance, FmiState state, FmiByte bytes[], size_t size)
{
    REQUIRE(ANY);
    return (FmiStatus)to_bytes(i, state, bytes, size);
}

FUNCTION DESERIALIZE(FmiInstance instance, const FmiByte bytes[], size_t size, FmiState *state)
{
    REQUIRE(ANY);
    return (FmiStatus)from_bytes(i, bytes, size, state);
}

/* model exchange ----------------------------------------------------------------------------------------------- */

FUNCTION FMI_NAME(EnterEventMode)(FmiInstance instance)
{
    REQUIRE(EVENT | CONTINUOUS);
    i->state.mode = EVENT;
    return FMI_OK;
}

FUNCTION FMI_NAME(EnterContinuousTimeMode)(FmiInstance instance)
{
    REQUIRE(EVENT);
    begin_to_watch(&i->state);
    i->state.mode = CONTINUOUS;
    return FMI_OK;
}

FUNCTION FMI_NAME(CompletedIntegratorStep)(
    FmiInstance instance, FmiBoolean final, FmiBoolean *enter_event_mode, FmiBoolean *terminate)
{
    REQUIRE(CONTINUOUS);
    (void)final;
    if (!enter_event_mode || !terminate)
        return (FmiStatus)complain(i, STATUS_ERROR, "There is no room for what happens.");
    *enter_event_mode = drifted(i) != 0;
    *terminate = 0;
    return (FmiStatus)watch_loops(i);
}

FUNCTION FMI_NAME(SetTime)(FmiInstance instance, FmiReal time)
{
    REQUIRE(EVENT | CONTINUOUS);
    return (FmiStatus)set_time(i, time);
}

FUNCTION FMI_NAME(SetContinuousStates)(FmiInstance instance, const FmiReal x[], size_t n)
{
    REQUIRE(EVENT | CONTINUOUS);
    return (FmiStatus)set_states(i, x, n);
}

FUNCTION GET_RATES(FmiInstance instance, FmiReal rates[], size_t n)
{
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    return (FmiStatus)get_rates(i, rates, n);
}

FUNCTION FMI_NAME(GetEventIndicators)(FmiInstance instance, FmiReal indicators[], size_t n)
{
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    (void)indicators;
    return n ? (FmiStatus)complain(i, STATUS_ERROR, "There are no event indicators.") : FMI_OK;
}

FUNCTION FMI_NAME(GetContinuousStates)(FmiInstance instance, FmiReal x[], size_t n)
{
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    return (FmiStatus)get_states(i, x, n);
}

FUNCTION FMI_NAME(GetNominalsOfContinuousStates)(FmiInstance instance, FmiReal nominals[], size_t n)
{
    size_t k;
    REQUIRE(ANY);
    if (n != N_X || (n && !nominals))
        return (FmiStatus)complain(i, STATUS_ERROR, "There are %d states.", (int)N_X);
    for (k = 0; k < n; ++k)
        nominals[k] = 1.0;
    return FMI_OK;
}
