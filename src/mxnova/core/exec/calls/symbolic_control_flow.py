# SPDX-License-Identifier: Apache-2.0
"""Loops and branches on symbols: functions draw bodies, which become subgraphs of an operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...base.errors import ArgumentError, AssertedError
from ...base.scopes import AttrScope
from ...graph.base_symbol import single_entry
from ...graph.node import Entry
from ...graph.symbol import Symbol
from . import control_flow  # noqa: F401 - registers the operators
from .loop_arguments import Form, as_variables, flatten, limit_of, regroup
from .subgraph import Body, applied, closed, cut, placeholder, placeholder_name, scope_name

__all__ = ["cond", "foreach", "while_loop"]


class UnusedError(ArgumentError, AssertionError):
    """A loop's body that leaves out what it is given; MXNet asserts that it does not."""


Drawn = tuple[list[Symbol], list[Symbol], Form]  # outputs, what is carried on, form of the outputs


def foreach(
    body: Callable[[Any, Any], tuple[Any, Any]], data: Any, init_states: Any, name: str = "foreach"
) -> tuple[Any, Any]:
    """Runs a body on each slice of arrays along their first axis, handing states on.

    Args:
        body: takes a slice (or lists of slices, formed like `data`) and the states; gives outputs
            and the new states. It is called once, to draw the body.
        data: a symbol, or nested lists of symbols.
        init_states: the states that the first step gets: a symbol or nested lists.
        name: of the scope that the body is drawn in.

    Returns:
        The outputs of all steps, stacked; the states after the last.
    """
    arrays, form = flatten(data, Symbol, "foreach: data")
    states, state_form = flatten(init_states, Symbol, "foreach: init_states")

    def draw() -> Drawn:
        outputs, new = body(_placeholders(arrays, form), _placeholders(states, state_form))
        flat, out_form = flatten(outputs, Symbol, "foreach: an output of body")
        carried, new_form = flatten(new, Symbol, "foreach: a state from body")
        if new_form != state_form:
            raise AssertedError("foreach: body nests the states otherwise than init_states")
        return flat, carried, out_form

    made, n_outputs, out_form = _drawn(name, draw, distinct=True)
    names = made.input_names()
    data_locations = _places("foreach: body", "data", arrays, names)
    state_locations = _places("foreach: body", "state", states, names)
    rest = [i for i in range(len(names)) if i not in (*data_locations, *state_locations)]
    results = applied(
        "_foreach",
        [made],
        [*_entries(arrays), *_entries(states), *(made.source(names[i]) for i in rest)],
        num_outputs=len(made.symbol),
        num_out_data=n_outputs,
        in_state_locs=state_locations,
        in_data_locs=data_locations,
        remain_locs=rest,
    )
    return regroup(results, out_form), regroup(results, state_form)


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., tuple[Any, Any]],
    loop_vars: Any,
    max_iterations: Any = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """Runs a body on loop variables while a condition on them holds.

    Args:
        cond: takes the loop variables; gives a symbol of one element. Called once, to draw it.
        func: takes the loop variables; gives outputs and the new loop variables. Called once.
        loop_vars: a symbol, or nested lists of symbols.
        max_iterations: the most steps.
        name: of the scopes that condition and body are drawn in.

    Returns:
        The outputs of all steps, stacked and filled up with zeros to `max_iterations`; the loop
        variables after the last step.
    """
    limit = limit_of(max_iterations)
    if not isinstance(loop_vars, Symbol):
        as_variables(loop_vars)
    variables, form = flatten(loop_vars, Symbol, "while_loop: loop_vars")

    def given() -> list[Any]:
        inner = _placeholders(variables, form)
        return [inner] if form is None else inner

    def draw_test() -> Drawn:
        test = cond(*given())
        if not isinstance(test, Symbol):
            raise ArgumentError(f"while_loop: cond gives a {type(test).__name__}, not a Symbol")
        return [test], [], None

    def draw_body() -> Drawn:
        outputs, new = func(*given())
        flat, out_form = flatten([] if outputs is None else outputs, Symbol, "while_loop: output")
        carried, _ = flatten([] if new is None else new, Symbol, "while_loop: loop variable")
        return flat, as_variables(carried, len(variables)), out_form

    test, _, _ = _drawn(name + "_cond", draw_test)
    body, n_outputs, out_form = _drawn(name + "_func", draw_body)
    feeds = {placeholder_name(v): e for v, e in zip(variables, _entries(variables), strict=True)}
    inputs, (test_inputs, body_inputs) = _listed([test, body], feeds)
    results = applied(
        "_while_loop",
        [test, body],
        inputs,
        max_iterations=limit,
        cond_input_locs=test_inputs,
        func_input_locs=body_inputs,
        func_var_locs=_places("while_loop: func", "variable", variables, body.input_names()),
        num_out_data=n_outputs,
        num_outputs=len(body.symbol),
    )
    return regroup(results, out_form), regroup(results, form)


def cond(
    pred: Symbol, then_func: Callable[[], Any], else_func: Callable[[], Any], name: str = "cond"
) -> Any:
    """What `then_func` draws where `pred` holds, else what `else_func` draws.

    Args:
        pred: a symbol of one element.
        then_func: takes nothing; called once.
        else_func: takes nothing; called once.
        name: of the scopes that they are drawn in.
    """

    def drawn(suffix: str, function: Callable[[], Any]) -> tuple[Body, int, Form]:
        def draw() -> Drawn:
            flat, form = flatten(function(), Symbol, f"cond: what {suffix} gives")
            return flat, [], form

        return _drawn(f"{name}_{suffix}", draw)

    test, n_tests, _ = drawn("pred", lambda: pred)
    then_body, n_outputs, form = drawn("then", then_func)
    else_body, n_others, _ = drawn("else", else_func)
    if n_tests != 1:
        raise ArgumentError(f"cond: pred has {n_tests} outputs, a single one is needed")
    if n_outputs != n_others:
        raise ArgumentError(f"cond: then_func gives {n_outputs} outputs, else_func {n_others}")
    bodies = [test, then_body, else_body]
    inputs, locations = _listed(bodies, None)
    results = applied(
        "_cond",
        bodies,
        inputs,
        cond_input_locs=locations[0],
        then_input_locs=locations[1],
        else_input_locs=locations[2],
        num_outputs=n_outputs,
    )
    return regroup(results, form)


def _drawn(name: str, draw: Callable[[], Drawn], distinct: bool = False) -> tuple[Body, int, Form]:
    """The body that `draw` draws, how many of its heads are outputs, and their form.

    Args:
        name: of its scope.
        draw: draws it.
        distinct: what is carried on is copied also where an output has its name.
    """
    scope = scope_name(name)
    with AttrScope(__subgraph_name__=scope):
        outputs, carried, form = draw()
        heads = closed([*outputs, *carried], scope, len(outputs) if distinct else None)
    return cut(heads, scope), len(outputs), form


def _placeholders(symbols: Sequence[Symbol], form: Form) -> Any:
    return regroup(iter([placeholder(s) for s in symbols]), form)


def _entries(symbols: Sequence[Symbol]) -> list[Entry]:
    return [single_entry(s, "what a loop is given") for s in symbols]


def _places(who: str, what: str, symbols: Sequence[Symbol], names: Sequence[str]) -> list[int]:
    """Which inputs of a body stand for `symbols`."""
    for i, symbol in enumerate(symbols):
        if placeholder_name(symbol) not in names:
            raise UnusedError(f"{who} does not use {what} {i}, {symbol.name!r}")
    return [names.index(placeholder_name(s)) for s in symbols]


def _listed(
    bodies: Sequence[Body], feeds: Mapping[str, Entry] | None
) -> tuple[list[Entry], list[list[int]]]:
    """What feeds some bodies, and for each body which of it feeds each of its inputs.

    Args:
        bodies: the bodies.
        feeds: what feeds inputs of these names in every body; other inputs are each body's own.
            None: variables of one name are the same in every body.
    """
    entries: list[Entry] = []
    at: dict[str, int] = {}
    locations: list[list[int]] = [[] for _ in bodies]
    for body, found in zip(bodies, locations, strict=True):
        for name in body.input_names():
            if name not in at:
                entry = (feeds or {}).get(name) or body.source(name)
                if name in feeds if feeds is not None else entry.node.op is None:
                    at[name] = len(entries)
                found.append(len(entries))
                entries.append(entry)
            else:
                found.append(at[name])
    return entries, locations
