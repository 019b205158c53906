"""Digests of objects: the same for the same state, another one for any other, and an error where it is not known."""

import importlib
import math
import operator
import os
import random
import subprocess
import sys
import textwrap
import threading
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache, partial, wraps
from pathlib import Path
from random import gauss
from types import ModuleType, SimpleNamespace

import numba
import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from tests.refusal import refused

import multibody as mb
from multibody.graph import Table, symbol
from multibody.simulation.results.code_references import is_library
from multibody.simulation.results.model_identity import object_digest
from multibody.simulation.results.object_identity import UnidentifiedError


class Plain:
    def __init__(self, gain=1.0, **more):
        self.gain = gain
        vars(self).update(more)

    def __call__(self, t):
        return self.gain * t

    @property
    def doubled(self):
        return 2 * self.gain

    @cached_property
    def slow(self):
        return self.gain**2


class Slots:
    __slots__ = ("gain", "rest")

    def __init__(self, gain):
        self.gain = gain


class MoreSlots(Slots):
    __slots__ = ("other",)

    def __init__(self, gain, other):
        super().__init__(gain)
        self.other = other


class Recipe:
    def __init__(self, gain):
        self.gain, self.noise = gain, object()

    def __reduce__(self):
        return Recipe, (self.gain,)


class Stateful:
    def __init__(self, gain):
        self.gain, self.stream = gain, None

    def __getstate__(self):
        return {"gain": self.gain}


@dataclass
class Data:
    gain: float
    table: dict = field(default_factory=dict)
    weights: np.ndarray = field(default_factory=lambda: np.zeros(2))


class Listed(list):
    name = "listed"


class Kind(Enum):
    SOFT = 1
    HARD = 2


Pair = namedtuple("Pair", "a b")


def law(gain):
    return lambda t: gain * t


def with_default(gain):
    def inner(t, k=gain, *, m=gain):
        return k * t + m

    return inner


def method(name, value):
    """The same class with another member."""
    return type("Made", (), {"__init__": Plain.__init__, name: value})(1.0)


def text(source_text, **names):
    return eval(source_text, names)


def decorated(gain):
    @wraps(math.hypot)
    def inner(x, y):
        return gain * math.hypot(x, y)

    return inner


def cyclic(value):
    found = [value]
    found.append(found)
    return found


def linked(value):
    one, other = Plain(value), Plain(2.0)
    one.other, other.other = other, one
    return one


def drawn(seed):
    generator = np.random.default_rng(seed)
    generator.random()
    return generator


def nested_function(constant):
    source = f"def outer(t):\n    def inner(x):\n        return {constant} * x\n    return inner(t)"
    space = {}
    exec(source, space)
    return space["outer"]


def in_module(value):
    module = ModuleType("settings_of_the_user")
    module.gain, module.other = value, 1.0
    return text("lambda t: settings.gain * t", settings=module)


def in_package(value):
    package, module = ModuleType("package_of_the_user"), ModuleType("package_of_the_user.module")
    package.module, module.package, module.gain = module, package, value
    return text("lambda t: package.module.gain * t", package=package)


def imported(value):
    module = ModuleType("imported_by_the_user")
    module.gain = value
    space = {}
    exec("def law(t):\n    from imported_by_the_user import gain\n    return gain * t", space)
    sys.modules["imported_by_the_user"] = module
    return space["law"]


def pendulum(mass, limit=1.0):
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    system.joint("angle", system.world, system.body("bob", mass, (0, 0, -1)), "Ry", limits=(-limit, limit))
    return system


def run(value):
    t = np.array([0.0, 1.0])
    return mb.Trajectory(mb.derive(pendulum(1.0)), t, np.stack([value * t, *[0 * t] * 4], axis=1), np.zeros((2, 0)), [])


MAKERS = {
    "number": lambda x: x,
    "complex": lambda x: complex(x, 1),
    "fraction": lambda x: Fraction(int(10 * x), 7),
    "list": lambda x: [1, [2, x]],
    "tuple": lambda x: (1, (2, x)),
    "dict": lambda x: {"a": 1, "b": {"c": x}},
    "key": lambda x: {x: 1},
    "ordered": lambda x: OrderedDict(a=x),
    "set": lambda x: {1, 2, x},
    "deque": lambda x: deque([x]),
    "namespace": lambda x: SimpleNamespace(a=x),
    "named tuple": lambda x: Pair(1, x),
    "array": lambda x: np.array([1.0, x]),
    "array of objects": lambda x: np.array([symbol("a"), x], dtype=object),
    "scalar": lambda x: np.float64(x),
    "expression": lambda x: x * symbol("a"),
    "table": lambda x: Table("t", [0.0, 1.0], [0.0, x]),
    "field": Plain,
    "another field": lambda x: Plain(1.0, more=x),
    "nested field": lambda x: Plain(1.0, more={"a": [Plain(x)]}),
    "slot": Slots,
    "inherited slot": lambda x: MoreSlots(x, 1.0),
    "own slot": lambda x: MoreSlots(1.0, x),
    "reduce": Recipe,
    "getstate": Stateful,
    "data class": Data,
    "data class, nested": lambda x: Data(1.0, {"a": x}),
    "data class, array": lambda x: Data(1.0, weights=np.array([0.0, x])),
    "list of a class": lambda x: Listed([1.0, x]),
    "cyclic": cyclic,
    "linked": linked,
    "closure": law,
    "closure in a closure": lambda x: law(law(x)),
    "defaults": with_default,
    "constant": lambda x: text(f"lambda t: {x!r} * t"),
    "constant of an inner function": nested_function,
    "operation": lambda x: text(f"lambda t: t {'+-*'[int(x)]} 1"),
    "name of an attribute": lambda x: text(f"lambda t: t.part_{int(x)}"),
    "global": lambda x: text("lambda t: gain * t", gain=x),
    "global function": lambda x: text("lambda t: law(t)", law=law(x)),
    "global object": lambda x: text("lambda t: law(t)", law=Plain(x)),
    "global of a list": lambda x: text("lambda t: [gain * k for k in t]", gain=x),
    "module of the user": in_module,
    "module in a module": in_package,
    "import in a function": imported,
    "compiled function": lambda x: numba.njit(text(f"lambda t: {x!r} * t")),
    "body": lambda x: mb.System("s").body("b", x),
    "joint": lambda x: pendulum(1.0, x)["angle"],
    "system": lambda x: pendulum(x),
    "run": run,
    "partial": lambda x: partial(pow, x),
    "partial, keyword": lambda x: partial(Plain, gain=x),
    "partial of a partial": lambda x: partial(partial(pow, x), 2),
    "bound method": lambda x: Plain(x).__call__,
    "builtin method": lambda x: [x].count,
    "cached function": lambda x: lru_cache(law(x)),
    "decorated": decorated,
    "class": lambda x: type("Made", (), {"gain": x}),
    "method of a class": lambda x: method("__call__", law(x)),
    "static method": lambda x: method("value", staticmethod(law(x))),
    "property": lambda x: method("value", property(law(x))),
    "base class": lambda x: type("Made", (type("Base", (), {"gain": x}),), {})(),
    "itemgetter": lambda x: operator.itemgetter(int(10 * x)),
    "spline": lambda x: CubicSpline([0, 1, 2], [0, x, 0]),
    "vectorized": lambda x: np.vectorize(law(x)),
    "random numbers": lambda x: drawn(int(10 * x)),
    "random numbers of Python": lambda x: random.Random(int(10 * x)),
    "event": lambda x: mb.Event(symbol("a") - x, reset={"b": 1.0}),
    "reset": lambda x: mb.Event(symbol("a"), reset={"b": x}),
    "integrator": lambda x: mb.DormandPrince8(rtol=1e-6 * x),
    "sampled": lambda x: mb.Sampled(Plain(x), 0.1),
    "period": lambda x: mb.Sampled(Plain(1.0), x),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_an_object_is_its_state(kind):
    make = MAKERS[kind]
    assert object_digest(make(1.5)) == object_digest(make(1.5))
    assert object_digest(make(1.5)) != object_digest(make(2.5))
    assert object_digest(make(0.5)) != object_digest(make(1.5))


def test_objects_of_different_kinds_are_different():
    found = {name: object_digest(make(1.5)) for name, make in MAKERS.items() if name not in ("number", "scalar")}
    same = {name: [one for one in found if found[one] == text] for name, text in found.items()}
    assert {name: others for name, others in same.items() if len(others) > 1} == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (2, 2.0),
        (np.float64(0.1), 0.1),
        (np.int64(3), 3),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({1, 2, 3}, {3, 2, 1}),
        (symbol("a") + symbol("a"), 2 * symbol("a")),
        (text("lambda t: 2 * t"), text("(\nlambda t:\n2 * t)")),
        (math.sin, math.sin),
        (np.sin, np.sin),
        (Kind.SOFT, Kind.SOFT),
        (threading.Lock(), threading.Lock()),
        (random, random),
    ],
)
def test_what_is_written_in_another_way_is_the_same(one, other):
    assert object_digest(one) == object_digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True), (1, "1"), ("a", b"a"), ([1], (1,)), ([1, 2], [[1], 2]), (["ab"], ["a", "b"]), (None, "None"),
        (np.zeros(3), np.zeros((3, 1))), (np.zeros(3), np.zeros(3, dtype=int)), (math.sin, math.cos), (np.sin, np.cos),
        (Kind.SOFT, Kind.HARD), (Plain, Slots), (Plain(1.0), Stateful(1.0)), (10**400, 10**400 + 1), (2**53, 2**53 + 1),
        (0.1, 0.1 + 1e-17 + 1e-16), (math.nan, 0.0), (Plain().__call__, Plain.__call__),
    ],
)  # fmt: skip
def test_what_is_different_is_different(one, other):
    assert object_digest(one) != object_digest(other)


def test_names_places_and_documentation_do_not_count():
    def first(t):
        """What it is."""
        return 2.0 * t

    def second(t):
        """Said otherwise."""
        return 2.0 * t

    assert object_digest(first) == object_digest(second)


def test_what_an_object_remembers_for_speed_does_not_count():
    plain, function = Plain(3.0), lru_cache(abs)
    before = object_digest(plain), object_digest(function)
    assert (plain.slow, function(-2.0)) == (9.0, 2.0)
    assert (object_digest(plain), object_digest(function)) == before
    plain.gain = 4.0
    assert object_digest(plain) != before[0]


def test_an_array_in_the_closure_that_is_changed_is_another_one():
    weights = np.array([1.0, 2.0])
    function = text("lambda t: weights @ t", weights=weights)
    before = object_digest(function)
    weights[1] = 3.0
    assert object_digest(function) != before


def test_models_and_equations_are_their_parts():
    one, again, other = (Plain(eom=mb.derive(pendulum(mass))) for mass in (1.0, 1.0, 2.0))
    assert object_digest(one) == object_digest(again) != object_digest(other)
    assert object_digest(one.eom.model) != object_digest(other.eom.model)
    compiled = [Plain(function=one.eom.forward_dynamics) for one in (one, again, other)]
    assert object_digest(compiled[0]) == object_digest(compiled[1])


def generator():
    yield 1.0


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (generator, "generator"),
        (lambda: Plain(stream=sys.__stdout__), ".stream"),
        (lambda: Plain(inner=[Plain(source=generator())]), ".inner[0].source"),
        (lambda: np.frompyfunc(law(2.0), 1, 1), "ufunc"),
        (lambda: text("lambda t: next(source)", source=generator()), "'source'"),
        (lambda: memoryview(b"abc"), "memoryview"),
        (lambda: threading.local(), "_thread._local"),
    ],
)
def test_what_cannot_be_identified_is_refused(make, named):
    with pytest.raises(UnidentifiedError) as caught:
        object_digest(make(), what="input 'F'")
    assert caught.value.what.startswith("input 'F' cannot be identified")
    assert named in caught.value.where + caught.value.cause
    assert "without a path" in caught.value.remedy


def test_deep_structures_are_refused():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with refused("object-not-identified"):
        object_digest(deep)


def test_inner_functions_of_libraries_are_told_apart():
    from multibody.cli.commands.sweep import MEASURES

    assert len({object_digest(law) for law in MEASURES.values()}) == len(MEASURES)


def test_libraries():
    assert all(map(is_library, ("numpy", "scipy.interpolate", "collections.abc", "multibody.simulation")))
    assert not any(map(is_library, ("__main__", "tests.simulation", __name__, "no_such_module", None)))


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
held = [{"x": k} for k in range(int(sys.argv[2]))]
import multibody as mb
others = [mb.derive(getattr(mb.library, name)()) for name in sys.argv[3:]]
from tests.simulation.test_object_identity import MAKERS
from multibody.simulation.results.model_identity import equation_parts
from multibody.simulation.results.model_identity import object_digest
print({name: object_digest(make(1.5)) for name, make in MAKERS.items()})
print(equation_parts(mb.derive(mb.library.four_bar())), equation_parts(mb.derive(mb.library.slider_crank())))
"""


def test_digests_are_the_same_in_every_process():
    """Whatever the seed of hashes is, and whatever else was made before."""
    here = {name: object_digest(make(1.5)) for name, make in MAKERS.items()}
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120
    found = [
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(SCRIPT), root, *words], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True, timeout=300,
        ).stdout.splitlines()
        for seed, words in (("1", ["10"]), ("2", ["5000", "slider_crank", "crane_crab"]))
    ]  # fmt: skip
    assert found[0] == found[1]
    assert found[0][0] == str(here)


# modules and names that code does not show ---------------------------------------------------------------------------


def user_module(gain):
    module = ModuleType("module_of_the_user")
    module.gain = gain
    return module


def with_metaclass(gain):
    kind = type("Meta", (type,), {"gain": gain})
    return kind("Made", (), {"__call__": text("lambda self, t: type(self).gain * t")})()


HIDDEN = {
    "module by getattr": lambda x: text("lambda t: getattr(settings, 'gain') * t", settings=user_module(x)),
    "module by vars": lambda x: text("lambda t: vars(settings)['gain'] * t", settings=user_module(x)),
    "module by its dictionary": lambda x: text("lambda t: settings.__dict__['gain'] * t", settings=user_module(x)),
    "module in a list": lambda x: text("lambda t: modules[0].gain * t", modules=[user_module(x)]),
    "module in an object": lambda x: text("lambda t: one.inner.gain * t", one=SimpleNamespace(inner=user_module(x))),
    "module in a partial": lambda x: partial(text("lambda module, t: module.gain * t"), user_module(x)),
    "module in a closure": lambda x: law(user_module(x)),
    "member of a metaclass": with_metaclass,
}


@pytest.mark.parametrize("kind", HIDDEN)
def test_modules_and_metaclasses_count_by_their_members(kind):
    make = HIDDEN[kind]
    assert object_digest(make(1.5)) == object_digest(make(1.5)) != object_digest(make(2.5))


@pytest.mark.parametrize(
    ("code", "names", "called"),
    [
        ("lambda t: globals()['gain'] * t", {"gain": 2.0}, "globals"),
        ("lambda t: eval('gain') * t", {"gain": 2.0}, "eval"),
        ("lambda t: float(open('gain.txt').read()) * t", {}, "open"),
        ("lambda t: __import__('settings').gain * t", {}, "__import__"),
        ("lambda t: importlib.import_module('settings').gain * t", {"importlib": importlib}, "import_module"),
    ],
)
def test_functions_that_do_not_show_what_they_use_are_refused(code, names, called):
    with pytest.raises(UnidentifiedError) as caught:
        object_digest(text(code, **names), what="input 'F'")
    assert f"calls {called}()" in caught.value.cause
    shadowed = text(code, **names, **{called: len}) if called != "import_module" else None
    assert shadowed is None or object_digest(shadowed)  # a function of the user of the same name


@pytest.mark.parametrize("name", ["profile", "statistics", "mine"])
def test_a_module_of_the_user_may_be_called_as_one_of_python(name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for gain in (1.0, 50.0):
        (tmp_path / f"{name}.py").write_text(f"def law(t, q):\n    return -{gain} * q[0]\n")
        monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        found.append(object_digest(importlib.import_module(name).law))
    monkeypatch.delitem(sys.modules, name, raising=False)
    assert found[0] != found[1]


def choice(gain):
    class Law(Enum):
        SOFT = 1

        def __call__(self, t, q):
            return -gain * q[0]

    return Law.SOFT


class Vector(np.ndarray):
    """An array with a field that its ``__reduce__`` leaves out."""


def vector(gain):
    found = np.array([1.0]).view(Vector)
    found.gain = gain
    return found


class Silent:
    def __init__(self, gain):
        self.gain = gain

    def __getstate__(self):
        return {}


def overwritten(gain):
    found = Plain(3.0)
    found.slow = gain
    return found


@pytest.mark.parametrize("make", [choice, vector, Silent, overwritten])
def test_fields_and_methods_that_a_state_does_not_show_count(make):
    assert object_digest(make(1.0)) == object_digest(make(1.0))
    assert object_digest(make(1.0)) != object_digest(make(50.0))


def test_a_cached_property_that_is_out_of_date_counts():
    stale, fresh = Plain(1.0), Plain(5.0)
    assert stale.slow == 1.0
    stale.gain = 5.0
    assert object_digest(stale) != object_digest(fresh)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("lambda t: np.loadtxt(path)", {"np": np, "path": "gain.txt"}),
        ("lambda t: read(path)", {"read": np.loadtxt, "path": "gain.txt"}),
        ("lambda t: float(Path(path).read_text())", {"Path": Path, "path": "gain.txt"}),
        ("lambda t: Path(path).open()", {"Path": Path, "path": "gain.txt"}),
        ("lambda t: float(os.environ['G'])", {"os": os}),
        ("lambda t: float(environ['G'])", {"environ": os.environ}),
        ("lambda t: sys.modules['mine'].gain", {"sys": sys}),
        ("lambda t: operator.attrgetter('gain')(sys)", {"operator": operator, "sys": sys}),
        ("lambda t: get('gain')(t)", {"get": operator.attrgetter}),
    ],
)
def test_controllers_that_read_files_or_the_process_are_refused(code, names):
    with refused("object-not-identified"):
        object_digest(text(code, **names))


def _with_own_import(t):
    import numpy as other

    return other.random.rand()


GENERATOR = np.random.default_rng(1)
SHARED = {
    "NumPy": lambda t: np.random.normal(),
    "Python": lambda t: random.gauss(0, 1),
    "by name": lambda t: gauss(0, 1),
    "its own import": _with_own_import,
    "a function of the user": lambda t: 2 * _with_own_import(t),
}
OWN = {
    "a generator with a seed": lambda t: GENERATOR.normal(),
    "made in the function": lambda t: np.random.default_rng(3).normal(),
    "of Python": lambda t: random.Random(3).gauss(0, 1),
}


@pytest.mark.parametrize("kind", SHARED)
def test_random_numbers_of_the_whole_process_are_refused(kind):
    """They depend on what else was drawn; a stored run would be the answer to another question."""
    with refused("object-not-identified", "seed"):
        object_digest(SHARED[kind])


@pytest.mark.parametrize("kind", OWN)
def test_generators_with_a_seed_are_identified(kind):
    assert object_digest(OWN[kind]) == object_digest(OWN[kind])


def test_a_generator_counts_by_its_state():
    def law(seed):
        generator = np.random.default_rng(seed)
        return lambda t: generator.normal()

    assert object_digest(law(1)) == object_digest(law(1)) != object_digest(law(2))
