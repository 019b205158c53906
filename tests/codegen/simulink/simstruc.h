/* A small stand-in for Simulink's header: just what a generated S-function uses, for one block, with checks.
 *
 * It is written from the documented interface of level-2 S-functions, for tests without Simulink. Real Simulink does more
 * between the calls; names, arguments and the order of calls are the same.
 */
#ifndef SIMSTRUC_H
#define SIMSTRUC_H

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#if S_FUNCTION_LEVEL != 2
#error "this is no S-function of level 2"
#endif

typedef double real_T;
typedef int int_T;

typedef struct mxArray {
    double *numbers;
    size_t count;
    int is_double, is_complex, is_sparse;
} mxArray;

static size_t mxGetNumberOfElements(const mxArray *a) { return a->count; }
static double *mxGetPr(const mxArray *a) { return a->numbers; }
static int mxIsDouble(const mxArray *a) { return a->is_double; }
static int mxIsComplex(const mxArray *a) { return a->is_complex; }
static int mxIsSparse(const mxArray *a) { return a->is_sparse; }
static int mxIsFinite(double x) { return x - x == 0.0; }

#define PORTS 2
#define CONTINUOUS_SAMPLE_TIME 0.0
#define SS_OPTION_EXCEPTION_FREE_CODE 1u

typedef struct SimStruct {
    const mxArray *dialog[8];
    int dialog_expected, dialog_given, tunable[8];
    int states, discrete, inputs, outputs, in_width[PORTS], out_width[PORTS], contiguous[PORTS], feedthrough[PORTS];
    int sample_times, work_size;
    unsigned options;
    double sample_time, offset, time;
    double *x, *dx, *work, *in[PORTS], *out[PORTS];
    int input_known; /* whether the block may read its input now */
    const char *error;
} SimStruct;

#define ssSetNumSFcnParams(S, n) ((S)->dialog_expected = (n))
#define ssGetNumSFcnParams(S) ((S)->dialog_expected)
#define ssGetSFcnParamsCount(S) ((S)->dialog_given)
#define ssGetSFcnParam(S, k) (assert((int)(k) < (S)->dialog_given), (S)->dialog[k])
#define ssSetSFcnParamTunable(S, k, yes) ((S)->tunable[k] = (yes))
#define ssSetNumContStates(S, n) ((S)->states = (n))
#define ssSetNumDiscStates(S, n) ((S)->discrete = (n))
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n), (n) <= PORTS)
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n), (n) <= PORTS)
#define ssSetInputPortWidth(S, k, n) (assert((k) < (S)->inputs && (n) > 0), (S)->in_width[k] = (n))
#define ssSetOutputPortWidth(S, k, n) (assert((k) < (S)->outputs && (n) > 0), (S)->out_width[k] = (n))
#define ssSetInputPortRequiredContiguous(S, k, yes) ((S)->contiguous[k] = (yes))
#define ssSetInputPortDirectFeedThrough(S, k, yes) ((S)->feedthrough[k] = (yes))
#define ssSetNumSampleTimes(S, n) ((S)->sample_times = (n))
#define ssSetNumRWork(S, n) ((S)->work_size = (n))
#define ssSetOptions(S, flags) ((S)->options = (flags))
#define ssSetSampleTime(S, k, t) (assert((k) < (S)->sample_times), (S)->sample_time = (t))
#define ssSetOffsetTime(S, k, t) (assert((k) < (S)->sample_times), (S)->offset = (t))
#define ssGetContStates(S) ((S)->x)
#define ssGetdX(S) ((S)->dx)
#define ssGetRWork(S) ((S)->work)
#define ssGetT(S) ((S)->time)
#define ssGetInputPortRealSignal(S, k) \
    (assert((k) < (S)->inputs && (S)->contiguous[k] && (S)->input_known), (const real_T *)(S)->in[k])
#define ssGetOutputPortRealSignal(S, k) (assert((k) < (S)->outputs), (S)->out[k])
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssGetErrorStatus(S) ((S)->error)

#endif
