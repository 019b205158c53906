/* The types of FMI 3.0 (fmi-standard.org) that an FMU needs. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(
    fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(
    fmi3InstanceEnvironment, fmi3Float64 time, fmi3Boolean set_requested, fmi3Boolean get_allowed, fmi3Boolean finished,
    fmi3Boolean can_return, fmi3Boolean *return_requested, fmi3Float64 *return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

typedef fmi3LogMessageCallback Logger;

/* Where several FMUs are linked into one program, -DFMI3_FUNCTION_PREFIX=name_ keeps their functions apart. */
#ifdef FMI3_FUNCTION_PREFIX
#define FMI_JOINED(a, b) a##b
#define FMI_EXPANDED(a, b) FMI_JOINED(a, b)
#define FMI(name) FMI_EXPANDED(FMI3_FUNCTION_PREFIX, name)
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
typedef fmi3Instance FmiInstance;
typedef fmi3Boolean FmiBoolean;
typedef fmi3Float64 FmiReal;
typedef fmi3String FmiString;
typedef fmi3FMUState FmiState;
typedef fmi3Byte FmiByte;
typedef fmi3Status FmiStatus;
#define FMI_OK fmi3OK
#define FMI_ERROR fmi3Error
#define FMI_NAME(name) FMI(fmi3##name)
#define STATE_FUNCTION(verb) FMI(fmi3##verb##FMUState)
#define SERIALIZED_SIZE FMI(fmi3SerializedFMUStateSize)
#define DESERIALIZE FMI(fmi3DeserializeFMUState)
#define GET_RATES FMI(fmi3GetContinuousStateDerivatives)
