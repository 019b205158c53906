"""Who is called what: clashes of names are found before anything is derived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multibody.errors import ConversionError, ModelError, NumberError
from multibody.graph import Expr, Symbol, same, symbol
from multibody.graph.names import check
from multibody.model.quantity import Input, Parameter, parameter, rate_name
from multibody.subsystems.arguments.vocabulary import LevelVocabulary
from multibody.subsystems.content import SubsystemContent


def require_distinct(label: str, parts: Sequence[SubsystemContent], own: Iterable[str]) -> None:
    """An error if two parts have one label, or define one variable, or if a new variable exists already."""
    check(label, what="subsystem")
    owners: dict[str, str] = {"t": "time"}
    labels: set[str] = {label}
    for part in parts:
        if part.label in labels:
            raise ModelError(
                f"The label '{part.label}' is used more than once.",
                where=f"subsystem '{label}'",
                remedy=f"Use a copy with another label: part.renamed('{part.label}_2', suffix='_2').",
                code="name-taken",
                name=part.label,
            )
        labels.add(part.label)
        for name in names_of(part):
            _claim(name, part.label, owners, label)
    for name in own:
        check(name, what="variable")
        _claim(name, label, owners, label)


def names_of(part: SubsystemContent) -> list[str]:
    """The variables that a part defines, and its other names for expressions."""
    return [*dict.fromkeys([*(variable.name for variable in part.orders), *part.aliases])]


def _claim(name: str, by: str, owners: dict[str, str], where: str) -> None:
    if name in owners:
        raise _taken(name, by, owners[name], where)
    owners[name] = by


def _taken(name: str, by: str, owner: str, where: str) -> ModelError:
    if name == "t":
        return the_time(f"variable of '{by}'", where)
    both = f"both '{owner}' and '{by}'" if owner != by else f"'{by}' twice"
    used_twice = "A subsystem is used twice without new names, or two rules give one name to different variables."
    return ModelError(
        f"The variable '{name}' is defined by {both}.",
        where=f"subsystem '{where}'",
        cause=used_twice if owner != where else "",
        remedy=f"Rename one of them: part.renamed(label, {{'{name}': '{name}_2'}})."
        if by != where
        else "Use another name for the new variable.",
        code="name-taken",
        name=name,
    )


def require_no_rate(label: str, top: Iterable[Symbol], variables: Iterable[str]) -> None:
    """An error if a variable is called like the rate of another one, which only dynamic equations determine."""
    names = set(variables)
    for variable in top:
        if rate_name(variable.name) in names:
            raise ModelError(
                f"The name '{rate_name(variable.name)}' is used for a variable and for the rate of '{variable.name}'.",
                where=f"subsystem '{label}'",
                cause=f"'{variable.name}' has the highest order, so that its rate follows from dynamic equations.",
                remedy="Rename one of them; or give the rate an order above that of its variable.",
                code="name-taken",
                name=rate_name(variable.name),
            )


def the_time(what: str, where: str) -> ModelError:
    """The error for something that is called like the time."""
    return ModelError(
        f"A {what} is called 't', which is the time.",
        where=f"subsystem '{where}'",
        remedy="Use another name.",
        code="name-taken",
    )


def shared_parameters(
    label: str, parts: Sequence[SubsystemContent], own: Any, variables: Iterable[str], others: Iterable[str] = ()
) -> tuple[Parameter, ...]:
    """The parameters of all parts and new ones; equal names mean the same, and must have the same default.

    Args:
        label: of the subsystem.
        parts: of the subsystem.
        own: what the user gave: names, or values by name, which may be formulas of parameters.
        variables: names that no parameter may have.
        others: names of further parameters that formulas may speak of.
    """
    found: dict[str, Parameter] = {}
    values = dict.fromkeys(split_names(own)) if not isinstance(own, Mapping) else own
    names = [*map(str, values), *(p.name for part in parts for p in part.parameters), *others]
    new = [
        value if isinstance(value, Parameter) else _parameter(name, value, label, names)
        for name, value in values.items()
    ]
    for item in (*(p for part in parts for p in part.parameters), *new):
        known = found.get(item.name)
        if known is None or _default(known) is None:
            found[item.name] = item
        elif _default(item) is not None and _differ(item, known):
            raise ModelError(
                f"The parameter '{item.name}' has two different values: {_default(known)} and {_default(item)}.",
                where=f"subsystem '{label}'",
                cause="Two subsystems use one name for different things.",
                remedy=f"Rename it in one of them: part.renamed(label, {{'{item.name}': '{item.name}_2'}}).",
                code="parameter-with-two-values",
                name=item.name,
            )
    _require_apart(label, found, variables, "parameter")
    return tuple(found.values())


def require_no_input(label: str, parameters: Iterable[Parameter], inputs: Iterable[Input]) -> None:
    """An error if a parameter is called like an input."""
    driven = {name for input_ in inputs for name in (input_.name, *(symbol.name for symbol in input_.flat))}
    both = [parameter.name for parameter in parameters if parameter.name in driven]
    if both:
        raise ModelError(
            f"The name '{both[0]}' is used for a parameter and for an input.",
            where=f"subsystem '{label}'",
            cause="Two subsystems use one name for different things, or it was declared as both.",
            remedy=f"Rename one of them: part.renamed(label, {{'{both[0]}': '{both[0]}_2'}}).",
            code="name-taken",
            name=both[0],
        )


def _parameter(name: str, value: Any, label: str, known: Iterable[str]) -> Parameter:
    """With a number or a formula of other parameters as its value, or with none."""
    check(name, what="parameter")
    if isinstance(value, str):
        words = LevelVocabulary(label, {name: symbol(name, "parameter") for name in known})
        value = words.read(value, f"parameter '{name}'")
    try:
        return parameter(name, value, "", "", "")
    except (NumberError, ConversionError) as error:
        error.where = f"parameter '{name}' of subsystem '{label}'"
        error.remedy = "Give a finite number, a formula of other parameters, or None where there is no value yet."
        raise


def shared_inputs(
    label: str, parts: Sequence[SubsystemContent], own: Any, variables: Iterable[str]
) -> tuple[Input, ...]:
    """The inputs of all parts and new ones; equal names mean the same."""
    found = {input_.name: input_ for part in parts for input_ in part.inputs}
    for name in split_names(own):
        one = name if isinstance(name, Input) else Input(check(name, what="input"), symbol(name, "input"))
        found.setdefault(one.name, one)
    _require_apart(label, found, variables, "input")
    return tuple(found.values())


def _require_apart(label: str, found: Mapping[str, Any], variables: Iterable[str], what: str) -> None:
    if "t" in found:
        raise the_time(what, label)
    names = list(variables)
    taken = {rate_name(name): f"the rate of '{name}'" for name in names} | dict.fromkeys(names, "a variable")
    both = [name for name in taken if name in found]
    if both:
        raise ModelError(
            f"The name '{both[0]}' is used for {taken[both[0]]} and for {'an' if what == 'input' else 'a'} {what}.",
            where=f"subsystem '{label}'",
            cause="Two subsystems use one name for different things, or it was declared as both.",
            remedy=f"Rename one of them: part.renamed(label, {{'{both[0]}': '{both[0]}_2'}}).",
            code="name-taken",
            name=both[0],
        )


def _default(one: Parameter) -> Any:
    values = tuple(one.default.values())
    return values[0] if len(values) == 1 else values


def _differ(one: Parameter, other: Parameter) -> bool:
    values, others = (list(each.default.values()) for each in (one, other))
    return len(values) != len(others) or not all(map(_equal, values, others))


def _equal(one: Expr | None, other: Expr | None) -> bool:
    """Whether two values are the same, wherever they were made."""
    return one is other or (one is not None and other is not None and same(one, other))


def split_names(things: Any) -> list[Any]:
    """Names in a text, separated by blanks or commas; or in a list."""
    if things is not None and not isinstance(things, Iterable):
        raise ModelError(
            f"Names were expected, not {things!r}.",
            remedy="Give a text such as 'x, y', or a list of names.",
            code="names-expected",
        )
    return things.replace(",", " ").split() if isinstance(things, str) else list(() if things is None else things)


def by_order(variables: Any, lowest: int = 0) -> dict[int, list[str]]:
    """Names by order: as given, or all of the lowest order."""
    given = variables if isinstance(variables, Mapping) else {lowest: variables}
    for order in given:
        if not isinstance(order, int) or order < 0:
            raise ModelError(
                f"{order!r} is not an order of variables.",
                remedy="Give {0: coordinates, 1: quasi-velocities, …}, or a list of coordinates.",
                code="variable-order-invalid",
            )
    return {order: [_name(word) for word in split_names(names)] for order, names in sorted(given.items())}


def _name(thing: Any) -> str:
    return thing.name if isinstance(thing, Symbol) else str(thing)
