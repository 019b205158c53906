/* States of an instance that are kept for later, in memory or as bytes. */

typedef struct {
    char token[sizeof TOKEN];
    State state;
} Snapshot;

static Status take_snapshot(const Instance *i, void **kept)
{
    Snapshot *snapshot;
    if (!kept)
        return complain(i, STATUS_ERROR, "There is no room for a state.");
    snapshot = *kept ? *kept : calloc(1, sizeof *snapshot);
    if (!snapshot)
        return complain(i, STATUS_ERROR, "There is no memory for a state.");
    memcpy(snapshot->token, TOKEN, sizeof TOKEN);
    snapshot->state = i->state;
    *kept = snapshot;
    return STATUS_OK;
}

/* Whether a snapshot is of this model and makes sense for this kind of instance. */
static int sound(const Instance *i, const Snapshot *snapshot)
{
    const int forbidden = i->co_simulation ? EVENT | CONTINUOUS : STEP;
    int mode;
    if (memcmp(snapshot->token, TOKEN, sizeof TOKEN) != 0)
        return 0;
    for (mode = INSTANTIATED; mode <= TERMINATED; mode *= 2)
        if (snapshot->state.mode == mode)
            return !(mode & forbidden);
    return 0;
}

static Status put_back(Instance *i, const void *kept)
{
    if (!kept || !sound(i, kept))
        return complain(i, STATUS_ERROR, "The state is not one of this model and kind.");
    i->state = ((const Snapshot *)kept)->state;
    forget(i);
    return STATUS_OK;
}

static Status free_snapshot(void **kept)
{
    if (kept) {
        free(*kept);
        *kept = NULL;
    }
    return STATUS_OK;
}

static Status to_bytes(const Instance *i, const void *kept, void *bytes, size_t size)
{
    if (!kept || !bytes || size < sizeof(Snapshot))
        return complain(i, STATUS_ERROR, "A state needs %u bytes.", (unsigned)sizeof(Snapshot));
    memcpy(bytes, kept, sizeof(Snapshot));
    return STATUS_OK;
}

static Status from_bytes(const Instance *i, const void *bytes, size_t size, void **kept)
{
    Snapshot *snapshot;
    if (!bytes || !kept || size != sizeof *snapshot)
        return complain(i, STATUS_ERROR, "The bytes are not a state of this model.");
    snapshot = malloc(sizeof *snapshot);
    if (!snapshot)
        return complain(i, STATUS_ERROR, "There is no memory for a state.");
    memcpy(snapshot, bytes, size);
    if (!sound(i, snapshot)) {
        free(snapshot);
        return complain(i, STATUS_ERROR, "The bytes are not a state of this model and kind.");
    }
    *kept = snapshot;
    return STATUS_OK;
}
