/* Dead points of loops that are solved in closed form: two solutions meet where a discriminant becomes zero.
 *
 * The motion goes on in the other solution, but the closed form stays in its own, so that what follows would be wrong.
 * Discriminants are computed at the ends of steps, and on the line between them where they are small.
 */

enum { GRID = 64, ZOOMS = 5 };
#define SMALL 0.05        /* relative to the largest value so far */
#define ZERO_REACHED 1e-9 /* likewise */

/* The discriminants between two states, at a share of the way; -1 where a loop cannot be closed. */
static void discriminants_at(
    const State *s, double share, double t, const double *x, double after, const double *next, double *values)
{
    double y[N_X + 1];
    int k;
    for (k = 0; k < N_X; ++k)
        y[k] = x[k] + share * (next[k] - x[k]);
    model_watched(t + share * (after - t), y, y + N_Q, s->r, s->p, values);
    for (k = 0; k < N_LOOPS; ++k)
        values[k] = isfinite(values[k]) ? values[k] : -1.0;
}

/* The number of a loop that passes a dead point between two states, or -1. */
static int dead_point(const State *s, double *largest, double t, const double *x, double after, const double *next)
{
    double first[N_LOOPS + 1], last[N_LOOPS + 1], values[N_LOOPS + 1];
    int k, loop, zoom;
    if (!N_LOOPS)
        return -1;
    discriminants_at(s, 0.0, t, x, after, next, first);
    discriminants_at(s, 1.0, t, x, after, next, last);
    for (loop = 0; loop < N_LOOPS; ++loop) {
        double low = 0.0, high = 1.0;
        largest[loop] = fmax(largest[loop], fmax(first[loop], last[loop]));
        if (largest[loop] > 0.0 && fmin(first[loop], last[loop]) >= SMALL * largest[loop])
            continue;
        for (zoom = 0; zoom < ZOOMS; ++zoom) {
            const double width = (high - low) / GRID;
            double least = HUGE_VAL, place = low;
            for (k = 0; k <= GRID; ++k) {
                discriminants_at(s, low + k * width, t, x, after, next, values);
                if (values[loop] < least) {
                    least = values[loop];
                    place = low + k * width;
                }
            }
            if (least <= ZERO_REACHED * largest[loop])
                return loop;
            low = fmax(0.0, place - width);
            high = fmin(1.0, place + width);
        }
    }
    return -1;
}

static Status complain_of_dead_point(const Instance *i, Status status, int loop, double t, const double *x)
{
    char position[300];
    size_t used = 0;
    int k;
    position[0] = 0;
    for (k = 0; k < N_Q && used + 40 < sizeof position; ++k)
        used += (size_t)snprintf(position + used, sizeof position - used, "%s%s = %.9g", k ? ", " : "",
                                 variable_names[FIRST_STATE + k], x[k]);
    return complain(i, status, "The position is singular near t = %.17g: the loop that determines %s reaches a dead "
                    "point, where its solutions meet. It is near %s.", t, loop_names[loop], position);
}

/* The state from which the next step of an integrator outside is watched. */
static void begin_to_watch(State *s)
{
    s->watched_time = s->time;
    memcpy(s->watched_x, s->x, sizeof s->x);
}

/* An error if the last step of an integrator outside has passed a dead point. */
static Status watch_loops(Instance *i)
{
    State *s = &i->state;
    const int loop = dead_point(s, s->largest, s->watched_time, s->watched_x, s->time, s->x);
    if (loop >= 0)
        return complain_of_dead_point(i, STATUS_ERROR, loop, s->watched_time, s->watched_x);
    begin_to_watch(s);
    return STATUS_OK;
}
