/* Functions of FMI 3.0 that the model has no use for: other types of variables, clocks, structural parameters,
 * scheduled execution. Importers want to find them all the same. */

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
    fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log, (void)update;
    (void)lock, (void)unlock;
    return NULL;
}

#define NONE(n, what) ((n) ? (fmi3Status)complain(i, STATUS_ERROR, what) : fmi3OK)

#define NO_VARIABLES(name, type)                                                                              \
    FUNCTION FMI(name)(                                                                                       \
        fmi3Instance instance, const fmi3ValueReference references[], size_t n, type values[], size_t m)      \
    {                                                                                                         \
        REQUIRE(ANY);                                                                                         \
        (void)references, (void)values, (void)m;                                                              \
        return NONE(n, "All variables are of type Float64.");                                                 \
    }
NO_VARIABLES(fmi3GetFloat32, fmi3Float32)
NO_VARIABLES(fmi3GetInt8, fmi3Int8)
NO_VARIABLES(fmi3GetUInt8, fmi3UInt8)
NO_VARIABLES(fmi3GetInt16, fmi3Int16)
NO_VARIABLES(fmi3GetUInt16, fmi3UInt16)
NO_VARIABLES(fmi3GetInt32, fmi3Int32)
NO_VARIABLES(fmi3GetUInt32, fmi3UInt32)
NO_VARIABLES(fmi3GetInt64, fmi3Int64)
NO_VARIABLES(fmi3GetUInt64, fmi3UInt64)
NO_VARIABLES(fmi3GetBoolean, fmi3Boolean)
NO_VARIABLES(fmi3GetString, fmi3String)
NO_VARIABLES(fmi3SetFloat32, const fmi3Float32)
NO_VARIABLES(fmi3SetInt8, const fmi3Int8)
NO_VARIABLES(fmi3SetUInt8, const fmi3UInt8)
NO_VARIABLES(fmi3SetInt16, const fmi3Int16)
NO_VARIABLES(fmi3SetUInt16, const fmi3UInt16)
NO_VARIABLES(fmi3SetInt32, const fmi3Int32)
NO_VARIABLES(fmi3SetUInt32, const fmi3UInt32)
NO_VARIABLES(fmi3SetInt64, const fmi3Int64)
NO_VARIABLES(fmi3SetUInt64, const fmi3UInt64)
NO_VARIABLES(fmi3SetBoolean, const fmi3Boolean)
NO_VARIABLES(fmi3SetString, const fmi3String)

#define NO_BINARIES(name, sizes_type, type)                                                                   \
    FUNCTION FMI(name)(                                                                                       \
        fmi3Instance instance, const fmi3ValueReference references[], size_t n, sizes_type sizes[],           \
        type values[], size_t m)                                                                              \
    {                                                                                                         \
        REQUIRE(ANY);                                                                                         \
        (void)references, (void)sizes, (void)values, (void)m;                                                 \
        return NONE(n, "All variables are of type Float64.");                                                 \
    }
NO_BINARIES(fmi3GetBinary, size_t, fmi3Binary)
NO_BINARIES(fmi3SetBinary, const size_t, const fmi3Binary)

#define NO_CLOCKS(name, type)                                                                                 \
    FUNCTION FMI(name)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, type values[]) \
    {                                                                                                         \
        REQUIRE(ANY);                                                                                         \
        (void)references, (void)values;                                                                       \
        return NONE(n, "There are no clocks.");                                                               \
    }
NO_CLOCKS(fmi3GetClock, fmi3Clock)
NO_CLOCKS(fmi3SetClock, const fmi3Clock)
NO_CLOCKS(fmi3GetShiftDecimal, fmi3Float64)
NO_CLOCKS(fmi3SetShiftDecimal, const fmi3Float64)
NO_CLOCKS(fmi3SetIntervalDecimal, const fmi3Float64)

#define NO_FRACTIONS(name, type)                                                                              \
    FUNCTION FMI(name)(                                                                                       \
        fmi3Instance instance, const fmi3ValueReference references[], size_t n, type counters[],              \
        type resolutions[])                                                                                   \
    {                                                                                                         \
        REQUIRE(ANY);                                                                                         \
        (void)references, (void)counters, (void)resolutions;                                                  \
        return NONE(n, "There are no clocks.");                                                               \
    }
NO_FRACTIONS(fmi3GetShiftFraction, fmi3UInt64)
NO_FRACTIONS(fmi3SetShiftFraction, const fmi3UInt64)
NO_FRACTIONS(fmi3SetIntervalFraction, const fmi3UInt64)

FUNCTION FMI(fmi3GetIntervalDecimal)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, fmi3Float64 intervals[],
    fmi3IntervalQualifier qualifiers[])
{
    REQUIRE(ANY);
    (void)references, (void)intervals, (void)qualifiers;
    return NONE(n, "There are no clocks.");
}

FUNCTION FMI(fmi3GetIntervalFraction)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, fmi3UInt64 counters[],
    fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
{
    REQUIRE(ANY);
    (void)references, (void)counters, (void)resolutions, (void)qualifiers;
    return NONE(n, "There are no clocks.");
}

FUNCTION FMI(fmi3GetNumberOfVariableDependencies)(fmi3Instance instance, fmi3ValueReference reference, size_t *n)
{
    REQUIRE(ANY);
    (void)reference, (void)n;
    return NONE(1, "Dependencies are given in modelDescription.xml.");
}

FUNCTION FMI(fmi3GetVariableDependencies)(
    fmi3Instance instance, fmi3ValueReference dependent, size_t elements[], fmi3ValueReference independents[],
    size_t their_elements[], fmi3DependencyKind kinds[], size_t n)
{
    REQUIRE(ANY);
    (void)dependent, (void)elements, (void)independents, (void)their_elements, (void)kinds, (void)n;
    return NONE(1, "Dependencies are given in modelDescription.xml.");
}

#define NOT_NEEDED(name, what)            \
    FUNCTION FMI(name)(fmi3Instance instance) \
    {                                     \
        REQUIRE(ANY);                     \
        return NONE(1, what);             \
    }
NOT_NEEDED(fmi3EnterConfigurationMode, "There are no structural parameters.")
NOT_NEEDED(fmi3ExitConfigurationMode, "There are no structural parameters.")
NOT_NEEDED(fmi3EnterStepMode, "In co-simulation there is no event mode.")

FUNCTION FMI(fmi3EvaluateDiscreteStates)(fmi3Instance instance)
{
    REQUIRE(INITIALIZATION | EVENT);
    return fmi3OK;
}

FUNCTION FMI(fmi3ActivateModelPartition)(fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time)
{
    REQUIRE(ANY);
    (void)clock, (void)time;
    return NONE(1, "There are no clocks.");
}
