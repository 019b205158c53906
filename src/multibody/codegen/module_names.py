"""Names of files, modules and namespaces: they must not hide what a language's own library has.

A header ``math.h`` beside the model would be found before that of the C library, a module ``types.py`` before Python's
own, and a namespace cannot be called like a function that some header declares. Such names get an underscore.
"""

from __future__ import annotations

import re
import sys
from hashlib import blake2b

from multibody.graph.names import escape

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
