/* The end of an S-function in Simulink registers its functions. Here, it calls them, in the order in which Simulink does.
 *
 * From stdin: for each line of states t, x, r, p. To stdout: the start state, by default and as given; then for each line
 * dx, all output ports, and x after the projection. What the block has told about itself goes to stderr.
 */
static double *room(int n) { return (double *)calloc((size_t)(n > 0 ? n : 1), sizeof(double)); }

static void begin(SimStruct *S, const mxArray *first, const mxArray *second)
{
    static const SimStruct none;
    *S = none;
    S->dialog[0] = first;
    S->dialog[1] = second;
    S->dialog_given = 2;
    mdlInitializeSizes(S);
}

static void refused(const mxArray *first, const mxArray *second)
{
    SimStruct S;
    begin(&S, first, second);
    if (S.error == NULL)
        exit(10);
    fprintf(stderr, "error: %s\n", S.error);
}

static int got(double *numbers, int n) { return fread(numbers, sizeof(double), (size_t)n, stdin) == (size_t)n; }
static void put(const double *numbers, int n) { fwrite(numbers, sizeof(double), (size_t)n, stdout); }

int main(int argc, char **argv)
{
    const int parameters = argc > 1 ? atoi(argv[1]) : 0;
    double *values = room(parameters + 1), wrong[1] = {NAN};
    const mxArray empty = {NULL, 0, 1, 0, 0}, all = {values, (size_t)parameters, 1, 0, 0};
    const mxArray longer = {values, (size_t)parameters + 1, 1, 0, 0}, text = {NULL, 0, 0, 0, 0};
    const mxArray infinite = {wrong, 1, 1, 0, 0};
    const double shift = argc > 2 ? atof(argv[2]) : 0.0; /* of the start values that are given */
    mxArray given = {NULL, 0, 1, 0, 0};
    SimStruct S;
    int k;

    refused(&longer, &empty);
    refused(&text, &empty);
    refused(&empty, &infinite);
    begin(&S, &empty, &empty);
    S.dialog_given = 1; /* a user who forgets the second parameter is told so by Simulink */
    mdlInitializeSizes(&S);

    begin(&S, &empty, &empty);
    if (S.error != NULL || S.discrete != 0 || S.sample_times != 1 || !S.tunable[0] || S.tunable[1])
        return 11;
    mdlInitializeSampleTimes(&S);
    fprintf(stderr, "states=%d inputs=%d feedthrough=%d outputs=%d %d\n", S.states, S.in_width[0], S.feedthrough[0],
            S.out_width[0], S.out_width[1]);
    S.x = room(S.states);
    S.dx = room(S.states);
    S.work = room(S.work_size);
    for (k = 0; k < PORTS; ++k) {
        S.in[k] = room(S.in_width[k]);
        S.out[k] = room(S.out_width[k]);
    }
    mdlInitializeConditions(&S);
    if (S.error != NULL)
        return 12;
    put(S.x, S.states);
    given.numbers = room(S.states); /* the same start, but given by the user */
    given.count = (size_t)S.states;
    for (k = 0; k < S.states; ++k) {
        given.numbers[k] = S.x[k] + shift;
        S.x[k] = 0.0;
    }
    S.dialog[1] = &given;
    mdlInitializeConditions(&S);
    if (S.error != NULL)
        return 12;
    put(S.x, S.states);

    while (got(&S.time, 1) && got(S.x, S.states) && got(S.in[0], S.in_width[0]) && got(values, parameters)) {
        S.dialog[0] = &all; /* the user turns a knob */
        mdlCheckParameters(&S);
        if (S.error != NULL)
            return 13;
        mdlProcessParameters(&S);
        S.input_known = S.feedthrough[0];
        mdlOutputs(&S, 0);
        S.input_known = 1;
#ifdef MDL_DERIVATIVES
        mdlDerivatives(&S);
#endif
        put(S.dx, S.states);
        for (k = 0; k < S.outputs; ++k)
            put(S.out[k], S.out_width[k]);
#ifdef MDL_PROJECTION
        S.input_known = 0;
        mdlProjection(&S);
        put(S.x, S.states);
#endif
    }
    mdlTerminate(&S);
    free(S.x);
    free(S.dx);
    free(S.work);
    free(values);
    free(given.numbers);
    for (k = 0; k < PORTS; ++k) {
        free(S.in[k]);
        free(S.out[k]);
    }
    return 0;
}
