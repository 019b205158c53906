"""Names in generated code: of intermediate results, files, modules and namespaces.

A landmark is a quantity that an engineer would write down: a rotation, a position, a velocity. It is recognized by its
fingerprint, wherever it comes from; so names such as ``R_W_load_11``, ``w_crab_x`` and ``sin_phi`` do not depend on the
formalism, which need not know of them.

Files, modules and namespaces must not hide what a language's own library has. A header ``math.h`` beside the model
would be found before that of the C library, a module ``types.py`` before Python's own, and a namespace cannot be called
like a function that some header declares. Such names get an underscore.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

from multibody.algebra import Transform, Vec3
from multibody.equations import EquationsOfMotion
from multibody.graph import Expr, Symbol, as_expr
from multibody.graph.names import escape
from multibody.lowering import SAME, Operation
from multibody.mechanics.recursion import inward
from multibody.model import Model


def landmarks(eom: EquationsOfMotion) -> dict[Any, str]:
    """Fingerprints of the quantities that have names, in the order in which a reader wants to meet them."""
    return expression_names((name, as_expr(value)) for name, value in _named(eom))


def _named(eom: EquationsOfMotion) -> Iterator[tuple[str, Any]]:
    model, kinetics = eom.model, eom.kinetics
    labels = link_labels(model)
    for symbol, value in model.values.items():  # coordinates and speeds that follow from others
        yield symbol.name, value
    in_world: dict[int, Transform] = {-1: Transform.identity()}
    for link in model.links:
        label, parent = labels[link.index], labels.get(link.parent, "W")
        pose = kinetics.pose_of_link(link.index)
        in_world[link.index] = in_world[link.parent] @ pose if link.parent >= 0 else pose
        yield from _pose(f"{parent}_{label}", pose)
        yield from _pose(f"W_{label}", in_world[link.index])
        velocity = kinetics.velocity_of_link(link.index)
        yield from _vector(f"w_{label}", velocity.resultant)
        yield from _vector(f"v_{label}", velocity.moment)
    for link, motion in zip(model.links, kinetics.drifts, strict=True):
        yield from _vector(f"dw_{labels[link.index]}", motion.spin_rate)
        yield from _vector(f"a_{labels[link.index]}", motion.acceleration)
        yield from _matrix(f"beta_{labels[link.index]}", motion.beta.rows)
    forces = inward(model, kinetics.drifts, kinetics.applied)
    for link in reversed(model.links):
        yield from _vector(f"F_{labels[link.index]}", forces[link.index].resultant)
        yield from _vector(f"L_{labels[link.index]}", forces[link.index].moment)


def link_labels(model: Model) -> dict[int, str]:
    """A name for each link: that of the first body on it, or of the movement that carries it."""
    labels: dict[int, str] = {}
    for body in model.bodies:
        labels.setdefault(model.attachments[body][0], body.name)
    for link in model.links:
        own = [q.name for q in link.q if isinstance(q, Symbol)]
        labels.setdefault(link.index, own[0] if own else f"{link.joint.name}_{link.index}")
    return labels


def _vector(name: str, vector: Vec3) -> Iterator[tuple[str, Any]]:
    for axis, value in zip("xyz", vector, strict=True):
        yield f"{name}_{axis}", value


def _matrix(name: str, rows: Iterable[Iterable[Any]]) -> Iterator[tuple[str, Any]]:
    for i, row in enumerate(rows, 1):
        for j, value in enumerate(row, 1):
            yield f"{name}_{i}{j}", value


def _pose(name: str, pose: Transform) -> Iterator[tuple[str, Any]]:
    yield from _matrix(f"R_{name}", pose.rotation.to_matrix().rows)
    yield from _vector(f"r_{name}", pose.position)


class Namer:
    """Gives each intermediate a name of its own.

    Args:
        taken: names that are in use.
        wanted: names by fingerprint; without any, all intermediates are numbered.
        symbols: names of the symbols, of which other names may be composed.
    """

    def __init__(self, taken: Iterable[str], wanted: Mapping[Any, str], symbols: Mapping[Any, str]) -> None:
        self._used = set(taken)
        self._wanted = wanted
        self._atoms: dict[Any, tuple[str, int]] = {symbol: (name, 1) for symbol, name in symbols.items()}
        self._counts: dict[str, int] = {}

    def name(self, step: Operation, prefix: str) -> str:
        """A name for the result of an operation: from what it is, from its operands, or a number."""
        if not self._wanted:
            return self._numbered(prefix)
        if step.op == SAME:
            return self.free(step.node.name)
        composed, size = self._composed(step)
        wish = composed if step.op in TRIGONOMETRY and composed else self._wanted.get(step.node.fp, composed)
        name = self.free(wish) if wish else self._numbered(prefix)
        if composed:
            self._atoms[step.node] = name, size
        return name

    def free(self, wish: str) -> str:
        """The name that is wished for, with a number if it is in use."""
        name, number = wish, 1
        while name in self._used:
            number += 1
            name = f"{wish}_{number}"
        self._used.add(name)
        return name

    def _numbered(self, prefix: str) -> str:
        while True:
            self._counts[prefix] = self._counts.get(prefix, 0) + 1
            name = f"{prefix}{self._counts[prefix]}"
            if name not in self._used:
                self._used.add(name)
                return name

    def _composed(self, step: Operation) -> tuple[str, int]:
        """sin_phi, inv_m, m_l: functions and products of what has a short name itself, and how many names are in it."""
        parts = [self._atoms.get(arg, ("", MANY)) for arg in step.args]
        texts, size = [text for text, _ in parts], sum(count for _, count in parts)
        if size >= MANY or step.op not in COMPOSED:
            return "", MANY
        name = f"{texts[0]}_sq" if len(set(texts)) < len(texts) else "_".join([*COMPOSED[step.op], *texts])
        return name, size


MANY = 4
"""So many names are too many for a composed one."""

TRIGONOMETRY = frozenset({"sin", "cos", "tan"})
COMPOSED = {"mul": [], "recip": ["inv"]} | {op: [op] for op in "sin cos tan asin acos atan sqrt exp log abs".split()}
"""Operations whose names are composed, and what is put in front."""


def free_names(names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Names that are different from those taken: a name that is gets underscores.

    Example:
        >>> free_names(["m", "q", "q_"], ["q", "u"])
        {'m': 'm', 'q': 'q__', 'q_': 'q_'}
    """
    ordered, used = list(dict.fromkeys(names)), set(taken)
    used.update(name for name in ordered if name not in used)
    result: dict[str, str] = {}
    for name in ordered:
        new = name
        while new in used and (new != name or name in set(taken)):
            new += "_"
        used.add(new)
        result[name] = new
    return result


def expression_names(pairs: Iterable[tuple[str, Expr]]) -> dict[Any, str]:
    """Names by fingerprint, for operations only; the first of two names counts."""
    found: dict[Any, str] = {}
    for name, value in pairs:
        if value.args and value.op != "neg":
            found.setdefault(value.fp, name)
    return found


LONGEST = 200
"""Bytes that a file may be called by without its ending, of the 255 that file systems have."""


def module_name(name: str, target: str) -> str:
    """What files, modules and namespaces of a model are called; different for different names.

    Args:
        name: of the model.
        target: the language, as for ``escape``.

    Example:
        >>> (
        ...     module_name("crane", "c"),
        ...     module_name("math", "c"),
        ...     module_name("random", "cpp"),
        ...     module_name("types", "python"),
        ... )
        ('crane', 'math_', 'random_', 'types_')
    """
    return file_name(f"{name}_" if _hides(name.rstrip("_"), target) else name, target)


def file_name(name: str, target: str) -> str:
    """How a language spells the name of a model, no longer than that of a file may be; different for different names.

    Args:
        name: of the model.
        target: the language, as for ``escape``.

    Example:
        >>> file_name("crane", "c"), len(file_name(40 * "φ", "c")), file_name(100 * "φ", "python") == 100 * "φ"
        ('crane', 200, True)
    """
    return _short(escape(name, target), name)


def report_name(name: str) -> str:
    """What a report about a model is called, which no language has to read; different for different names.

    Example:
        >>> report_name("double"), report_name("φ_1"), report_name("con")
        ('double', 'u03c6__1', 'con_')
    """
    spelled = "".join(letter if letter.isascii() else f"u{ord(letter):04x}_" for letter in name)
    return _short(f"{spelled}_" if _DEVICE.fullmatch(spelled.rstrip("_")) else spelled, name)


_DEVICE = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)  # files cannot be called so on Windows


def _short(spelled: str, name: str) -> str:
    """A spelling no longer than a file's name may be."""
    if len(spelled.encode()) <= LONGEST:
        return spelled
    digest = blake2b(name.encode(), digest_size=5).hexdigest()
    start = spelled.encode()[: LONGEST - len(digest) - 2].decode(errors="ignore").rstrip("_")
    return f"{start}_h{digest}"


def _hides(name: str, target: str) -> bool:
    if target == "python":
        return name in sys.stdlib_module_names
    if target == "cpp":
        return bool(_GLOBAL.fullmatch(name)) or name.lower() in _HEADERS
    return target == "c" and name.lower() in _HEADERS  # some file systems take upper and lower case for the same


_HEADERS = frozenset(
    "aio alloca arpa assert byteswap complex cpio ctype dirent dlfcn elf endian err errno error execinfo fcntl "
    "features fenv float fnmatch ftw getopt glob grp iconv inttypes iso646 langinfo libgen limits link locale malloc "
    "math memory monetary mqueue ndbm net netdb netinet paths poll printf pthread pwd regex resolv sched search "
    "semaphore setjmp signal spawn stab stdalign stdarg stdatomic stdbool stdckdint stdbit stddef stdint stdio stdlib "
    "stdnoreturn string strings sys sysexits syslog tar termios tgmath threads time trace uchar ucontext ulimit "
    "unistd utime utmpx values varargs wait wchar wctype windows wordexp xlocale simstruc simulink".split()
)
"""Headers of C, POSIX, common systems and Simulink."""

_REAL = (
    "acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh dadd ddiv dfma dmul drem dsqrt "
    "dsub erf erfc exp exp10 exp2 expm1 fabs fadd fdim fdiv ffma finite floor fma fmax fmaximum fmaximum_mag "
    "fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul "
    "frexp fromfp fromfpx fsqrt fsub gamma getpayload hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llogb llrint "
    "llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow "
    "remainder remquo rint round roundeven scalb scalbln scalbn setpayload setpayloadsig significand sin sincos sinh "
    "sqrt strfrom strto tan tanh tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn"
).replace(" ", "|")
_OTHER = (
    "a64l abort abs accept access acct alarm aligned_alloc alloca arc4random arc4random_buf arc4random_uniform "
    "asctime at_quick_exit atexit atof atoi atol atoll basename bcmp bcopy bind brk bsearch btowc bzero calloc "
    "canonicalize_file_name chdir chmod chown chroot clearenv clearerr clock close confstr connect creat crypt "
    "ctermid ctime cuserid daemon difftime div drand48 dup dup2 ecvt encrypt erand48 execl execle execlp execv execve "
    "execvp exit fchdir fchmod fchown fclose fcntl fcvt fdatasync fdopen feof ferror fflush ffs fgetc fgetpos fgets "
    "fileno fopen fork fpathconf fprintf fputc fputs fread free freopen fscanf fseek fsetpos fstat fsync ftell "
    "ftruncate fwrite gcvt getc getchar getcwd getenv getgid getline getloadavg getopt getpid getppid getpt gets "
    "getsubopt getuid getw gmtime grantpt index initstate ioctl isalnum isalpha isatty isblank iscanonical iscntrl "
    "isdigit iseqsig isgraph islower isprint ispunct issignaling isspace isupper isxdigit iszero jrand48 kill killpg "
    "l64a labs lchown lcong48 ldiv link listen llabs lldiv localeconv localtime lockf longjmp lrand48 lseek lstat "
    "malloc mblen mbstowcs mbtowc memchr memcmp memcpy memmove mempcpy memset mkdir mkdtemp mkfifo mknod mkostemp "
    "mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mktime mrand48 nice nrand48 "
    "on_exit open pathconf pause pclose perror pipe popen posix_memalign posix_openpt printf pselect psignal ptsname "
    "putc putchar putenv puts putw pwrite qecvt qfcvt qgcvt qsort quick_exit raise rand random read readlink realloc "
    "reallocarray realpath recv remove rename rewind rindex rmdir rpmatch sbrk scanf secure_getenv seed48 select send "
    "setbuf setenv setjmp setlocale setstate setvbuf shutdown sigaction signal sigpause sleep snprintf socket sprintf "
    "srand srand48 srandom sscanf stat stime stpcpy strcat strchr strcmp strcoll strcpy strcspn strdup strerror "
    "strftime strlen strncat strncmp strncpy strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof "
    "strtok strtol strtold strtoll strtoq strtoul strtoull strtouq strxfrm symlink sync syscall sysconf system "
    "tempnam time timegm timezone tmpfile tmpnam toascii tolower toupper truncate ttyname tzname tzset uint ulong "
    "umask ungetc unlink unlockpt unsetenv ushort usleep utime valloc vfork vfprintf vprintf vsnprintf vsprintf wait "
    "waitpid wcscpy wcslen wcstombs wctomb write daylight environ fd_mask sigset stdcall u_char u_int u_long u_short"
).replace(" ", "|")
_NARROW = r"f\d+x?(?:add|div|fma|mul|sqrt|sub)f\d+x?"
_GLOBAL = re.compile(rf"(?:{_REAL})(?:f|l|d|b?f\d+x?)?(?:_r|_l)?|(?:{_OTHER})(?:_r|_l)?|{_NARROW}|\w*_t")
"""Functions and types that headers of C and POSIX declare outside of all namespaces."""
