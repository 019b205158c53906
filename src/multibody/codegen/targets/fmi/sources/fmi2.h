/* The types of FMI 2.0 (fmi-standard.org) that an FMU needs, for platform "default". */
#include <stddef.h>

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;

enum { fmi2False = 0, fmi2True = 1 };
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef void (*fmi2CallbackLogger)(
    fmi2ComponentEnvironment, fmi2String name, fmi2Status, fmi2String category, fmi2String message, ...);

typedef struct {
    fmi2CallbackLogger logger;
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

typedef fmi2CallbackLogger Logger;

/* Where several FMUs are linked into one program, -DFMI2_FUNCTION_PREFIX=name_ keeps their functions apart. */
#ifdef FMI2_FUNCTION_PREFIX
#define FMI_JOINED(a, b) a##b
#define FMI_EXPANDED(a, b) FMI_JOINED(a, b)
#define FMI(name) FMI_EXPANDED(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI(name) name
#endif

#if defined _WIN32
#define FMI_EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define FMI_EXPORT __attribute__((visibility("default")))
#else
#define FMI_EXPORT
#endif

/* names for functions.c */
typedef fmi2Component FmiInstance;
typedef fmi2Boolean FmiBoolean;
typedef fmi2Real FmiReal;
typedef fmi2String FmiString;
typedef fmi2FMUstate FmiState;
typedef fmi2Byte FmiByte;
typedef fmi2Status FmiStatus;
#define FMI_OK fmi2OK
#define FMI_ERROR fmi2Error
#define FMI_NAME(name) FMI(fmi2##name)
#define STATE_FUNCTION(verb) FMI(fmi2##verb##FMUstate)
#define SERIALIZED_SIZE FMI(fmi2SerializedFMUstateSize)
#define DESERIALIZE FMI(fmi2DeSerializeFMUstate)
#define GET_RATES FMI(fmi2GetDerivatives)
