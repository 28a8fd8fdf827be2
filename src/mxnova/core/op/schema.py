# SPDX-License-Identifier: Apache-2.0
"""Operator schemas: `Op`, `OpType`, and the registry of all operators.

`OpType` is what a registered name denotes. An `Op` is one operator with its parameters set:
immutable and hashable. The parameters that only enter the arithmetic (learning rates, scalars) are
its *numbers*; all others are its *structure*, which decides shapes, types and code. Operators that
differ in their numbers alone share one `Structure`, which keeps what is worked out once; numbers
are bound at each call and kept nowhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..base.cache_keys import EXACT, identities, identity
from ..base.errors import UnknownNameError, shown
from ..base.parameter_types import NOT_GIVEN, REQUIRED
from ..base.params import Field, parse_attrs, parse_field
from ..base.registry import Registry
from .foreign import explain_unknown
from .introspection import argument_docs, declared_fields, full_doc
from .kernel import KERNELS, Signature
from .number_binding import NumberBinding
from .operator import Op
from .structure import Structure

__all__ = ["REGISTRY", "Op", "OpType", "find"]

REGISTRY: Registry[OpType] = Registry("operator")

_ATTRIBUTES = frozenset([*vars(Op), *Op.__annotations__])


class OpType:
    """The schema of an operator: the record under a registered name.

    Attributes:
        name: canonical name; `aliases`: the others.
        make: typed parameter values -> Op.
        signature: the arrays and facts that forward takes.
        function: what runs: forward, of an operator made by a class with the operator before the
            tensors, else with the parameters as keywords. Whoever puts another one here is obeyed
            by every caller.
        kernels: forwards for sparse inputs and outputs, beside the dense one.
        named_inputs: False where MXNet knows no input names: a Symbol then needs every input.
        by_name_only: arrays and parameters that have no place among positional arguments.
        method: name of the method that arrays and symbols have for it, None where they have none.
        in_place: what makes its first input, of real numbers, its output, where there is such.
        recent: operators, and the parameters that they keep, by what was given lately; see `kept`.
    """

    function: Callable[..., Any]

    def __init__(
        self,
        names: Sequence[str],
        make: type[Op],
        function: Callable[..., Any],
        declaration: Any = None,
        *,
        named_inputs: bool = True,
        by_name_only: tuple[str, ...] = (),
        method: str | bool = False,
        in_place: Callable[..., Any] | None = None,
    ) -> None:
        self.in_place = in_place
        self.name, *aliases = names
        self.aliases = tuple(aliases)
        self.make = make
        self.named_inputs = named_inputs
        self.by_name_only = by_name_only
        self.method = self.name if method is True else method or None
        self.kernels = KERNELS.setdefault(self.name, [])
        self.declaration = declaration or make
        self._structures: dict[Any, Structure] = {}
        self.recent: dict[Any, tuple[Op, tuple[Any, ...]]] = {}
        self.__dict__["function"] = function
        self.signature = Signature.of(declaration or function)
        names = make._parameters or self.signature.parameters
        make._clashing = tuple(n for n in names if n in _ATTRIBUTES)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "function":
            self._forget_operators()

    def _forget_operators(self) -> None:
        """Operators keep what they run; those made before another function came are not reused."""
        self._structures.clear()
        self.recent.clear()
        self._binding.clear()
        self.in_place = None
        self.__dict__.pop("plain", None)
        if isinstance(self.declaration, type):
            self.make.forward = self.function

    @functools.cached_property
    def fields(self) -> tuple[Field, ...]:
        """The declared parameters, in MXNet's order."""
        return declared_fields(self.declaration, Op, self.signature)

    @functools.cached_property
    def doc(self) -> str:
        """The docstring of the declaration, with what its bases say of arrays and parameters."""
        return full_doc(self.declaration, self.argument_docs)

    @functools.cached_property
    def argument_docs(self) -> dict[str, str]:
        """The documentation of each array and parameter, from the declaration and its bases."""
        said = argument_docs(self.declaration, Op)
        if not isinstance(self.declaration, type):
            return said
        own = (*self.signature.inputs, self.signature.variadic, *(f.name for f in self.fields))
        return {name: said[name] for name in own if name in said}

    @property
    def counts_inputs(self) -> bool:
        """Whether `num_args` is the number of inputs, so that callers may omit it."""
        return self.signature.variadic is not None and any(
            f.name == "num_args" for f in self.fields
        )

    @functools.cached_property
    def numbers(self) -> dict[str, Field]:
        """The parameters that are no part of the structure."""
        return {f.name: f for f in self.fields if f.kind.is_number}

    @functools.cached_property
    def _binding(self) -> NumberBinding:
        return NumberBinding(self.name, self.numbers)

    @functools.cached_property
    def _needed_numbers(self) -> frozenset[str]:
        return frozenset(n for n, field in self.numbers.items() if field.default is REQUIRED)

    @functools.cached_property
    def _default_forms(self) -> dict[str, Any]:
        fields = self.numbers.values()
        return {f.name: f.default is not REQUIRED and f.kind.form(f.default) for f in fields}

    @functools.cached_property
    def plain(self) -> Op:
        """The operator without parameters given."""
        return self.of({})

    def of(self, attrs: Mapping[str, Any], subgraphs: Sequence[Any] = ()) -> Op:
        """The operator with `attrs` (text or Python values) as its parameters.

        Raises:
            ArgumentError: an argument is unknown, missing or unusable.
        """
        if subgraphs:
            return self.make(subgraphs=subgraphs, **self.parse(attrs))
        if self.numbers:
            return self._with_numbers(attrs)
        key: tuple[Any, ...] = ()
        if len(attrs) == 1:
            [(name, value)] = attrs.items()
            kind = type(value)
            key = (name, kind, value) if kind in EXACT else (name, identity(value))
        elif attrs:
            key = (identities(attrs),)
        structure = self._structures.get(key)
        if structure is None:
            structure = self._structured(key, attrs, {}, ())
        return structure.op

    def _with_numbers(self, attrs: Mapping[str, Any]) -> Op:
        """`of`, of a type that has numbers."""
        key = (*attrs, *map(id, attrs.values()))
        known = self.recent.get(key)
        if known is None:
            return self.kept(key, tuple(attrs), tuple(attrs.values()))
        return known[0]

    def kept(self, key: Any, names: tuple[str, ...], values: tuple[Any, ...]) -> Op:
        """The operator with `values` (or NOT_GIVEN) of the parameters called `names`.

        `recent` has it by `key`, the identities of the values, then.
        """
        kinds = tuple(map(type, values))
        if not _IMMUTABLE.issuperset(kinds):
            return self._made(names, values)
        op = self._binding.bound(names, values, kinds) if self.numbers else None
        if op is None:
            op = self._made(names, values)
            if self.numbers:
                self._binding.learn(names, values, kinds, op.structure)
        if len(self.recent) >= _RECENT_LIMIT:
            self.recent.clear()
        self.recent[key] = op, values  # which keeps their identities theirs
        return op

    def _made(self, names: Sequence[str], values: Sequence[Any]) -> Op:
        pairs = zip(names, values, strict=True)
        attrs = {n: v for n, v in pairs if v is not NOT_GIVEN}
        return self._bound(attrs) if self.numbers else self.of(attrs)

    def _bound(self, attrs: Mapping[str, Any]) -> Op:
        """What is given of the numbers bound to a structure."""
        given, rest, forms = {}, {}, []
        fields, default_forms = self.numbers, self._default_forms
        for name, value in attrs.items():
            field = fields.get(name)
            if field is None:
                rest[name] = value
            elif value is not NOT_GIVEN:
                given[name] = value = parse_field(self.name, field, value)
                form = field.kind.form(value)
                if form != default_forms[name]:
                    forms.append((name, form))
        key = (identities(rest) if rest else (), *forms)
        structure = self._structures.get(key)
        if structure is None:
            structure = self._structured(key, rest, given, forms)
        if not given.keys() >= self._needed_numbers:
            self.parse(attrs)  # says which is missing
        return structure.with_numbers(given)

    def _structured(
        self, key: Any, rest: Mapping[str, Any], given: Mapping[str, Any], forms: Sequence[Any]
    ) -> Structure:
        """A structure that is not known by this key; it may be by that of its typed values."""
        values = self.parse({**rest, **given})
        fixed = {n: v for n, v in values.items() if n not in self.numbers}
        if len(self._structures) > _CACHE_LIMIT:
            self._structures.clear()
        typed_key = (identities(fixed), *forms)
        structure = self._structures.get(typed_key)
        if structure is None:
            op = self.make(**values)
            defaults = {name: field.default for name, field in self.numbers.items()}
            structure = op.__dict__["structure"] = Structure(op, {**values, **defaults})
            self._structures[typed_key] = structure
        self._structures[key] = structure
        return structure

    def parse(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """Typed values of all parameters.

        Raises:
            ArgumentError: an argument is unknown, missing or unusable.
        """
        return parse_attrs(self.name, self.fields, attrs)


_CACHE_LIMIT = 4096
_RECENT_LIMIT = 16  # operators of a network with parameters of their own, not one a step
_IMMUTABLE = frozenset({int, float, str, bool, type(None), type(NOT_GIVEN)})


def find(name: str) -> OpType:
    """Return the operator registered as `name`.

    Raises:
        UnknownNameError: the name is unknown; the text explains names of forks and plugins.
    """
    if name not in REGISTRY:
        text = explain_unknown(name, REGISTRY)
        raise UnknownNameError(f"operator {shown(name)} is not registered{text}")
    return REGISTRY[name]
