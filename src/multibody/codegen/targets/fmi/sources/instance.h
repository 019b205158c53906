/* One instance of the model: its state, what is known about it, and whom to tell if something is wrong.
 *
 * Everything here is the same for FMI 2 and FMI 3; `Logger` is the type of the importer's function for messages.
 * Numbers of variables come from model.h. Arrays have room for one number more, because C has no empty arrays.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL } Status;

/* modes, to be combined to masks */
enum { INSTANTIATED = 1, INITIALIZATION = 2, EVENT = 4, CONTINUOUS = 8, STEP = 16, TERMINATED = 32 };
enum { ANY = 63, RUNNING = EVENT | CONTINUOUS | STEP, EVALUATED = INITIALIZATION | RUNNING | TERMINATED };

/* where each group of variables begins, as value references */
enum {
    FIRST_STATE = 1, /* the time is number 0 */
    FIRST_RATE = FIRST_STATE + N_X,
    FIRST_INPUT = FIRST_RATE + N_X,
    FIRST_OUTPUT = FIRST_INPUT + N_R,
    FIRST_PARAMETER = FIRST_OUTPUT + N_Y, /* after outputs of sensors and constraint forces */
    END = FIRST_PARAMETER + N_P
};

enum { ORDERS = 3 }; /* how many derivatives of inputs may be given */

/* All that is kept when the state of an instance is saved. There are no pointers in it. */
typedef struct {
    int mode;
    int open;  /* states, parameters or the time were set from outside: constraints may not be kept */
    int moved; /* states were changed by the model itself, to keep constraints */
    int has_stop;
    double time, stop;
    double x[N_X + 1];               /* coordinates, then speeds */
    int given[N_X + 1];              /* whether the importer has set their start values */
    double wanted[N_X + 1];          /* and to what */
    int changed_alone;               /* whether those that it has set to the values of the description do not count */
    double r[N_R + 1];               /* inputs */
    int beyond[N_R + 1];             /* 1 where an input was set beyond its limits, and is held */
    double r_rates[ORDERS][N_R + 1]; /* their derivatives, from now to the next communication point */
    double p[N_P + N_C + N_F + 1];   /* parameters, what follows from them alone, what formulas gave to some of them */
    double tolerance;
    double step;       /* how long the next step of the solver should be; 0 if it does not know */
    double last_error; /* of the solver's last step */
    double watched_time, watched_x[N_X + 1]; /* the last state at which loops were watched */
    double largest[N_LOOPS + 1];             /* discriminants of loops so far; 0 if there was no such state */
} State;

typedef struct {
    State state;
    int co_simulation;
    char *name;
    void *environment;
    Logger logger;
    int rates_known, outputs_known;
    double rates[N_X + 1];
    double outputs[N_Y + 1];
} Instance;

/* Gives a message to the importer. */
static void deliver(const Instance *i, Status status, const char *category, const char *message);

/* Says what is wrong at a state, if its position is singular. */
static void describe_stop(const State *s, double t, const double *x, const double *r, char *text, size_t size);

/* Keeps the constraints. */
static Status settle(Instance *i);
