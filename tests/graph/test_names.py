import keyword
import re
import unicodedata

import pytest
from hypothesis import example, given, strategies as st
from tests.refusal import refused

from multibody.errors import InvalidNameError
from multibody.graph.names import MAX_LENGTH, check, escape, unescape, unique_names
from multibody.graph.text.languages import LANGUAGES


def _usable(name):
    try:
        return check(name) == name
    except InvalidNameError:
        return False


targets = st.sampled_from(sorted(LANGUAGES))
tricky = st.text("u03c6_iendφÅ", min_size=1, max_size=12).filter(_usable)
reserved = st.sampled_from(sorted(set.union(*(set(rules.reserved) for rules in LANGUAGES.values()))))
near_reserved = st.builds(lambda word, tail: word + tail, reserved, st.text("_", max_size=3)).filter(_usable)
unicode_names = st.text(st.characters(categories=("L", "Nd", "Mn", "Pc")), min_size=1, max_size=8)
usable_names = st.one_of(tricky, near_reserved, unicode_names.filter(_usable))


@pytest.mark.parametrize("name", ["x", "q_1", "lambda", "I", "E", "end", "der", "model", "None", "φ", "Ω_2", "_", "é"])
def test_identifiers_are_names_even_if_they_are_keywords_elsewhere(name):
    assert check(name) == name


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("", "empty"),
        ("2x", "begins with a digit"),
        ("a b", "contains ' '"),
        ("a.b", "contains '.'"),
        ("x;drop", "contains ';'"),
        ("x\n", r"contains '\n'"),
        ("\u0301x", "begins with"),
        ("__class__", "belong to Python"),
        ("____", "belong to Python"),
        ("a" * 201, "201 characters"),
        ("ﬁ", "normal form"),
        (7, "type int"),
        (None, "type NoneType"),
        ("\ud800", "contains"),
    ],
)
def test_a_bad_name_is_refused_with_its_cause(name, cause):
    with pytest.raises(InvalidNameError) as caught:
        check(name, what="body")
    assert cause in caught.value.cause
    assert "name of a body" in caught.value.what
    assert caught.value.remedy


def test_the_error_shows_the_normal_form():
    with refused("name-invalid", "fi"):
        check("ﬁ")


@given(st.text(max_size=300))
def test_any_text_is_a_name_or_refused(text):
    usable = _usable(text)
    normal = text.isidentifier() and unicodedata.normalize("NFKC", text) == text and len(text) <= MAX_LENGTH
    assert usable == (normal and not (text.startswith("__") and text.endswith("__")))


@given(st.one_of(st.none(), st.integers(), st.binary(), st.lists(st.text())))
def test_only_text_is_a_name(thing):
    assert not _usable(thing)


@given(usable_names, targets)
@example("u0075_", "c")
@example("u03c6_é", "c")
@example("int__", "cpp")
@example("φ_x", "cpp")
def test_escaping_is_reversible(name, target):
    assert unescape(escape(name, target), target) == name


@given(usable_names, targets)
def test_an_escaped_name_is_valid_in_its_language(name, target):
    rules, spelled = LANGUAGES[target], escape(name, target)
    assert spelled.isidentifier()
    assert spelled not in rules.reserved
    assert spelled.isascii() or not rules.ascii_only
    assert rules.first_underscore or spelled[0] != "_"
    assert rules.double_underscore or "__" not in spelled


@given(st.lists(usable_names, max_size=12), targets, st.lists(usable_names, max_size=3))
@example(["φ", "phi", "lambda", "lambda_", "λ"], "python", ["phi"])
@example(["λ", "lambda"], "matlab", [])
@example(["a" * 70 + "b", "a" * 70 + "c"], "matlab", [])
def test_the_names_of_one_program_stay_different_and_valid(names, target, taken):
    rules, spelled = LANGUAGES[target], unique_names(names, target, taken)
    assert set(spelled) == set(names)
    assert len(set(spelled.values()) | set(taken)) == len(spelled) + len(set(taken))
    assert not rules.reserved & set(spelled.values())
    assert all(identifier.isidentifier() and len(identifier) <= rules.max_length for identifier in spelled.values())
    assert all(identifier.isascii() or not rules.ascii_only for identifier in spelled.values())


@given(st.lists(usable_names, max_size=8), targets)
def test_a_name_that_is_valid_stays_as_it_is(names, target):
    spelled = unique_names(names, target)
    for name in names:
        if escape(name, target) == name and len(name) <= LANGUAGES[target].max_length:
            assert spelled[name] == name


def test_greek_letters_are_spelled_out_unless_that_collides():
    assert unique_names(["φ_1", "Ω", "λ"], "python") == {"φ_1": "φ_1", "Ω": "Ω", "λ": "λ"}
    assert unique_names(["φ_1", "Ω", "λ"], "c") == {"φ_1": "phi_1", "Ω": "Omega", "λ": "lambda"}
    assert unique_names(["φ", "phi"], "c") == {"φ": "u03c6_", "phi": "phi"}


def test_python_keywords_get_an_underscore():
    assert all(escape(word, "python") == f"{word}_" for word in keyword.kwlist)


@pytest.mark.parametrize("target", ["c", "cpp", "matlab", "modelica", "rust"])
def test_ascii_languages_get_plain_identifiers(target):
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", escape("_δx\u0331é", target))


def test_an_unknown_language_is_refused_with_a_list():
    with refused("language-unknown"):
        escape("x", "fortran")
