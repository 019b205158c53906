"""Rules for identifiers in each language that code is written for."""

from __future__ import annotations

import builtins
import keyword
from dataclasses import dataclass

from multibody.errors import ConversionError

_MATHEMATICS = frozenset(
    "abs acos acosh asin asinh atan atan2 atanh ceil cos cosh exp floor fmax fmin hypot log log10 max min mod pi pow "
    "round sign sin sinh sqrt tan tanh".split()
)  # functions that generated code calls, in every language

_C_MACROS = frozenset(
    "BUFSIZ CLOCKS_PER_SEC CMPLX CMPLXF CMPLXL DOMAIN EDOM EILSEQ EOF ERANGE EXIT_FAILURE EXIT_SUCCESS FILENAME_MAX "
    "FOPEN_MAX FP_CONTRACT FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_INT_DOWNWARD "
    "FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO FP_INT_UPWARD FP_LLOGB0 FP_LLOGBNAN FP_NAN FP_NORMAL "
    "FP_SUBNORMAL FP_ZERO HUGE HUGE_VAL HUGE_VALF HUGE_VALL I INFINITY L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT "
    "MB_CUR_MAX NAN NDEBUG NULL OVERFLOW PLOSS RAND_MAX SEEK_CUR SEEK_END SEEK_SET SING SNAN SNANF SNANL TLOSS TMP_MAX "
    "UNDERFLOW alloca assert complex errno fpclassify imaginary iscanonical iseqsig isfinite isgreater isgreaterequal "
    "isinf isless islessequal islessgreater isnan isnormal issignaling issubnormal isunordered iszero linux "
    "math_errhandling offsetof signbit stderr stdin stdout unix".split()
)
_C_CONSTANTS = (
    "1_PI 1_SQRT3 1_SQRTPI 2_PI 2_SQRTPI E EGAMMA LN10 LN2 LOG10E LOG2E PHI PI PI_2 PI_4 SQRT1_2 SQRT2 SQRT3".split()
)  # M_PI and the like
_C_KINDS = ["", "f", "l", *(f"f{bits}" for bits in ("16", "32", "64", "128", "32x", "64x"))]  # of floating point
_C_LIMITS = frozenset(
    f"{kind}_{limit}"
    for kind in ("FLT", "DBL", "LDBL")
    for limit in "DIG EPSILON MANT_DIG MAX MAX_10_EXP MAX_EXP MIN MIN_10_EXP MIN_EXP TRUE_MIN HAS_SUBNORM".split()
) | frozenset(f"{kind}_{end}" for kind in "CHAR SCHAR SHRT INT LONG LLONG".split() for end in ("MIN", "MAX"))
_C_SPECIAL = frozenset(
    f"{name}{kind}" for name in ("HUGE_VAL_", "SNAN") for kind in ("F16", "F32", "F64", "F128", "F32X", "F64X")
)

_C = frozenset(
    "alignas alignof asm auto bool break case char const constexpr continue default do double else enum extern false "
    "float for fortran goto if inline int long main nullptr register restrict return short signed sizeof static "
    "static_assert struct switch thread_local true typedef typeof typeof_unqual union unsigned void volatile while "
    "FILE fabs fmod cbrt trunc "
    "j0 j1 jn y0 y1 yn gamma lgamma tgamma erf erfc exp2 expm1 log1p log2 div labs "
    "size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t malloc calloc free time clock "
    "index".split()
)
_C |= _C_MACROS | _C_LIMITS | _C_SPECIAL | {f"M_{name}{kind}" for name in _C_CONSTANTS for kind in _C_KINDS}

_CPP = _C | frozenset(
    "and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept "
    "const_cast consteval constinit decltype delete dynamic_cast explicit export final friend import module mutable "
    "namespace new noexcept not not_eq operator or or_eq override private protected public reinterpret_cast requires "
    "static_cast std template this throw try typeid typename using virtual wchar_t xor xor_eq".split()
)

_MATLAB = frozenset(
    "break case catch classdef continue do else elseif end end_try_catch end_unwind_protect end_while endfor "
    "endfunction endif endswitch endwhile enumeration events for function global if methods otherwise parfor "
    "persistent properties return spmd switch try until unwind_protect unwind_protect_cleanup while arguments ans "
    "eps inf Inf nan NaN NA i j I J e realmin realmax nargin nargout varargin varargout true false all any cat "
    "cross det diag disp dot double eval eye feval find fprintf fzero inv isempty length linspace norm numel ode45 "
    "ones plot prod rank real imag reshape size sum trace transpose zeros".split()
)

_MODELICA = frozenset(
    "algorithm and annotation assert block break class connect connector constant constrainedby der discrete each "
    "else elseif elsewhen encapsulated end enumeration equation expandable extends external false final flow for "
    "function if import impure in initial inner input loop model not operator or outer output package parameter "
    "partial protected public pure record redeclare replaceable return stream then true type when while within time "
    "Real Integer Boolean String Clock StateSelect AssertionLevel ExternalObject Modelica Complex delay cardinality "
    "homotopy semiLinear inStream actualStream spatialDistribution getInstanceName noEvent smooth sample pre edge "
    "change reinit terminal terminate div rem integer ndims size scalar vector matrix identity diagonal zeros ones "
    "fill linspace sum product transpose outerProduct symmetric cross skew cat array promote previous hold "
    "subSample superSample shiftSample backSample noClock interval".split()
)

_JULIA = frozenset(
    "abstract baremodule begin break catch const continue do else elseif end export false finally for function "
    "global if import in isa let local macro module mutable new primitive public quote return struct true try type "
    "using where while Inf NaN Inf64 NaN64 im nothing missing ans Base Core Main Any Bool Char Float32 Float64 Int "
    "Int32 Int64 Number Real Complex Array Vector Matrix String Symbol Tuple eltype length size zeros ones sum prod "
    "zero one ifelse clamp π ℯ".split()
)

_RUST = frozenset(
    "abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen "
    "if impl in let loop macro macro_rules match mod move mut override priv pub raw ref return safe self Self "
    "static struct super trait true try type typeof union unsafe unsized use virtual where while yield bool char "
    "f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize std core alloc Box Err None Ok Option Result "
    "Some String Vec main".split()
)

_JAVASCRIPT = frozenset(
    "abstract arguments async await boolean break byte case catch char class const continue debugger default delete "
    "do double else enum eval export extends false final finally float for from function get goto if implements "
    "import in instanceof int interface let long native new null of package private protected public return set "
    "short static super switch synchronized this throw throws transient true try typeof undefined var void volatile "
    "while with yield Array Boolean Date Error Float64Array Function Infinity JSON Map Math NaN Number Object "
    "Promise Proxy Reflect RegExp Set String Symbol WeakMap console document globalThis isFinite isNaN module "
    "parseFloat parseInt process require self window exports constructor prototype".split()
)

_PYTHON = frozenset([*keyword.kwlist, *keyword.softkwlist, *dir(builtins)]) - {"_"}  # which is a name like others
_PYTHON_MODULES = frozenset("math numpy np scipy jax jnp casadi self cls array where arctan2 nan inf".split())

_SYMPY = frozenset(
    "Abs Add And Catalan ComplexInfinity Derivative Dummy E Eq EulerGamma Float Function Ge GoldenRatio Gt I Integer "
    "Integral Lambda Le Lt Matrix Max Min Mul N Ne Not O Or Piecewise Pow Q Rational S Symbol Wild Xor beta "
    "binomial cot csc diff divisors elliptic_e elliptic_f elliptic_k erf expand factor factorial gamma im integrate "
    "limit ln nan oo re root rf ff sec series simplify solve sympify symbols test var zeta zoo".split()
)


@dataclass(frozen=True)
class Language:
    """What a language allows as an identifier.

    Attributes:
        reserved: keywords, and names that generated code needs for itself.
        ascii_only: whether letters beyond ASCII are not allowed.
        encoded: letters that the language would confuse with others.
        first_underscore: whether a name may begin with an underscore.
        double_underscore: whether a name may contain two underscores in a row.
        max_length: the longest identifier.
    """

    reserved: frozenset[str]
    ascii_only: bool = True
    encoded: str = ""
    first_underscore: bool = False
    double_underscore: bool = True
    max_length: int = 2000


LANGUAGES: dict[str, Language] = {
    "python": Language(_PYTHON | _PYTHON_MODULES | _MATHEMATICS, ascii_only=False, first_underscore=True),
    "sympy-text": Language(_PYTHON | _SYMPY | _MATHEMATICS, ascii_only=False, first_underscore=True),
    "c": Language(_C | _MATHEMATICS, double_underscore=False),
    "cpp": Language(_CPP | _MATHEMATICS, double_underscore=False),
    "matlab": Language(_MATLAB | _MATHEMATICS, max_length=63),
    "modelica": Language(_MODELICA | _MATHEMATICS),
    "julia": Language(_JULIA | _MATHEMATICS, ascii_only=False, encoded="ɛ"),
    "rust": Language(_RUST | _MATHEMATICS),  # letters beyond ASCII are legal, but lints warn of some
    "javascript": Language(_JAVASCRIPT | _MATHEMATICS, ascii_only=False, first_underscore=True),
}


def language(name: str) -> Language:
    """The rules of a language by its name; an error that lists the names if there is none."""
    if name not in LANGUAGES:
        raise ConversionError(
            f"There are no rules for names in the language {name!r}.",
            code="language-unknown",
            remedy=f"Use one of {', '.join(LANGUAGES)}.",
            name=name,
            names=list(LANGUAGES),
        )
    return LANGUAGES[name]
