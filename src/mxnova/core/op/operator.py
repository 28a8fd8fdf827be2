# SPDX-License-Identifier: Apache-2.0
"""Operator declarations in their three spellings, and the registry they land in.

`Op` is one operator with its parameters set: immutable, hashable, shared by every node that has the
same attributes. `OpType` is what a registered name denotes: it knows the parameters' declarations
and makes `Op` instances from text. `@operator` turns a class into both, `@function_operator` a
function; the families (unary, binary, …) make rows of functions.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import torch

from ..base.params import Field, attr_text, doc_of_arguments, fields_of, parse_attrs
from ..base.registry import Registry
from ..base.shapes import shape_text
from .infer import DTypes, Shapes
from .kernel import FACTS, KERNELS, F, Kernel, Signature, kernel, kernel_of

__all__ = [
    "FACTS",
    "KERNELS",
    "REGISTRY",
    "Kernel",
    "Op",
    "OpType",
    "as_tuple",
    "elementwise_shape",
    "find",
    "function_operator",
    "kernel",
    "kernel_of",
    "operator",
    "register_function",
    "same_dtype",
]

REGISTRY: Registry[OpType] = Registry("operator")


class Op:
    """One operator with its parameters set; nearly every parameter is an attribute of its name.

    Attributes:
        type: what it was made from.
        values: its parameters by name.
        aux: names of its auxiliary states, inputs that a Symbol lists apart.
        mutates: inputs that forward writes to.
        initializers: input -> the ``__init__`` text of a variable there that has none.
        subgraphs: the graphs inside a control-flow operator.
        differentiable: False where MXNet has no gradient: results are cut from the graph.
        forward: tensors (and the facts it asks for) to its output, a tuple when there are several.
        backward: its own gradient, where that is not the derivative of forward: takes, by name,
            d_<output>, inputs and outputs; gives the inputs' gradients in order (None: no gradient;
            trailing ones may be left out).
    """

    type: OpType
    aux: ClassVar[tuple[str, ...]] = ()
    mutates: tuple[str, ...] = ()
    initializers: ClassVar[Mapping[str, str]] = {}
    subgraphs: tuple[Any, ...] = ()
    differentiable: bool = True
    forward: Callable[..., Any]
    backward: Callable[..., Any] | None = None
    values: dict[str, Any]
    _parameters: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **values: Any) -> None:
        # Plain code for all instead of a dataclass each: registering 120 of those costs 0.1 s.
        self.__dict__.update(values, values=values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"operator {self.name} is immutable: {name} cannot be set")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Op):
            return NotImplemented
        return self.type is other.type and self.values == other.values

    def __hash__(self) -> int:
        return hash((id(self.type), *self.values.values()))

    def changed(self, **values: Any) -> Op:
        """The operator with other values for some parameters."""
        return self.type.make(**{**self.values, **values})

    @property
    def name(self) -> str:
        """The canonical name."""
        return self.type.name

    def inputs(self) -> tuple[str, ...]:
        """Names of the arrays it reads, in order; a variadic one gives arg0, arg1, …."""
        signature = self.type.signature
        if signature.variadic is None:
            return signature.inputs
        return (*signature.inputs, *(f"arg{i}" for i in range(self.n_variadic())))

    def n_variadic(self) -> int:
        """The number of its variadic inputs: parameter `num_args`."""
        return int(self.attr("num_args"))

    def outputs(self) -> tuple[str, ...]:
        """Names of the arrays it gives, in order."""
        return ("output",)

    def n_visible(self) -> int:
        """How many of the outputs a Symbol shows; the rest serve other operators."""
        return len(self.outputs())

    def attr(self, name: str) -> Any:
        """The value of parameter `name`, also where the attribute of that name is another."""
        return self.values[name] if name in self.values else getattr(self, name)

    @property
    def has_shape_rule(self) -> bool:
        """Whether it states its shapes itself, instead of by running forward on meta tensors."""
        return type(self).infer_shape is not Op.infer_shape

    def infer_shape(self, s: Shapes) -> None:
        """States what holds between the shapes of its arrays. Default: forward on meta tensors."""
        inputs = [torch.empty(s.full(n), device="meta") for n in s.inputs]
        try:
            results = self.forward(*inputs, **self.quiet_facts())
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            raise s.fail(_with_shapes(error, s)) from None
        for name, result in zip(s.outputs, as_tuple(results), strict=True):
            s[name] = tuple(result.shape)

    def infer_dtype(self, t: DTypes) -> None:
        """States what holds between the element types of its arrays. Default: one for all."""
        t.same(*t.inputs, *t.outputs)

    def infer_stype(self, stypes: Sequence[str]) -> tuple[str, ...]:
        """Storage types of the outputs for those of the inputs."""
        found = self.kernel_for(stypes) or self.kernel_for(["default"] * len(stypes))
        return ("default",) * len(self.outputs()) if found is None else found.out

    def kernel_for(self, stypes: Sequence[str]) -> Kernel | None:
        """The forward for inputs stored so; None where only the dense one would do."""
        if not self.type.kernels:
            return None
        known = self.__dict__.setdefault("_kernels_by_stypes", {})
        key = tuple(stypes)
        if key not in known:
            known[key] = next((k for k in self.type.kernels if k.serves(self, key)), None)
        found: Kernel | None = known[key]
        return found

    def settled(self, shape: tuple[int, ...], dtype: torch.dtype) -> Op:
        """The operator giving an output of this shape and type, where its parameters left it open.

        Asked of operators without inputs, whose readers may know more than they do.
        """
        return self

    def instance(self) -> Op:
        """The operator for one executor; another one where it keeps a state from run to run."""
        return self

    def quiet_facts(self) -> dict[str, Any]:
        """Facts for a run whose values do not matter."""
        return {name: False if name == "train" else None for name in self.type.signature.facts}


class _Maker(Protocol):
    def __call__(self, **values: Any) -> Op: ...


class OpType:
    """What a registered name denotes.

    Attributes:
        name: canonical name; `aliases`: the others.
        make: typed parameter values -> Op.
        kernels: forwards for sparse inputs and outputs, beside the dense one.
        named_inputs: False where MXNet knows no input names: a Symbol then needs every input.
    """

    def __init__(
        self,
        names: Sequence[str],
        declaration: Any,
        make: _Maker,
        forward: Callable[..., Any],
        named_inputs: bool = True,
    ) -> None:
        self.name, *aliases = names
        self.aliases = tuple(aliases)
        self.make = make
        self.named_inputs = named_inputs
        self.kernels = KERNELS.setdefault(self.name, [])
        self._declaration = declaration
        self._forward = forward
        self._cache: dict[Any, Op] = {}

    @functools.cached_property
    def signature(self) -> Signature:
        """The arrays and facts that forward takes."""
        return Signature.of(self._forward)

    @functools.cached_property
    def fields(self) -> tuple[Field, ...]:
        """The declared parameters, in MXNet's order."""
        return _fields_of_declaration(self._declaration, self.signature)

    @functools.cached_property
    def doc(self) -> str:
        """The docstring of the declaration."""
        return inspect.cleandoc(self._declaration.__doc__ or "")

    @property
    def argument_docs(self) -> dict[str, str]:
        """What the docstring says of each array and parameter."""
        return doc_of_arguments(self.doc)

    @property
    def counts_inputs(self) -> bool:
        """Whether `num_args` tells the number of inputs, so that callers may leave it out."""
        return self.signature.variadic is not None and any(
            f.name == "num_args" for f in self.fields
        )

    def of(self, attrs: Mapping[str, Any]) -> Op:
        """The operator with `attrs` (text or Python values) as its parameters; cached.

        Raises:
            ArgumentError: an argument is unknown, missing or unusable.
        """
        try:
            key = tuple(attrs.items())
            return self._cache[key]
        except KeyError:
            op = self.parse(attrs)
            if len(self._cache) > _CACHE_LIMIT:
                self._cache.clear()
            self._cache[key] = op
            return op
        except TypeError:  # an unhashable value, such as a list
            return self.of({name: attr_text(value) for name, value in attrs.items()})

    def parse(self, attrs: Mapping[str, Any]) -> Op:
        """`of`, without the cache."""
        return self.make(**parse_attrs(self.name, self.fields, attrs))


_CACHE_LIMIT = 4096


def find(name: str) -> OpType:
    """The operator registered as `name`.

    Raises:
        UnknownNameError: there is none; the text says what is close.
    """
    return REGISTRY[name]


def _fields_of_declaration(declaration: Any, signature: Signature) -> tuple[Field, ...]:
    if isinstance(declaration, type):
        names = list(getattr(declaration, "_parameters", ()))
        declaration = _declaring(declaration)
        defaults = {n: vars(declaration)[n] for n in names if n in vars(declaration)}
    else:
        names = list(signature.parameters)
        defaults = declaration.__kwdefaults__ or {}
    namespace = vars(sys.modules[declaration.__module__])
    raw = inspect.get_annotations(declaration)
    hints = {n: _resolved(raw[n], namespace) for n in names}
    return fields_of(hints, defaults, names)


def _annotated(cls: type) -> tuple[str, ...]:
    return tuple(n for n in inspect.get_annotations(cls) if not n.startswith("_"))


def _declaring(cls: type) -> type:
    """The class whose annotations are the parameters: the nearest that has any."""
    return next((c for c in cls.__mro__[: cls.__mro__.index(Op)] if _annotated(c)), cls)


def _resolved(annotation: Any, namespace: dict[str, Any]) -> Any:
    return eval(annotation, namespace) if isinstance(annotation, str) else annotation


# Spelling 3: a class ------------------------------------------------------------------------------

C = TypeVar("C", bound=type[Op])


def operator(*names: str, named_inputs: bool = True) -> Callable[[C], C]:
    """Registers a subclass of Op under `names`; its annotated fields become the parameters.

    A class that annotates nothing has the parameters of its base.
    """

    def declare(cls: C) -> C:
        cls._parameters = _annotated(_declaring(cls))
        cls.type = OpType(names, cls, cls, cls.forward, named_inputs)
        for member in vars(cls).values():
            cls.type.kernels += getattr(member, "_kernels", ())
        REGISTRY.register(cls.type, *names)
        return cls

    return declare


# Spellings 1 and 2: functions ---------------------------------------------------------------------

ShapeRule = Callable[[Op, Shapes], None]
DTypeRule = Callable[[Op, DTypes], None]


@dataclasses.dataclass(frozen=True)
class Rules:
    """What a function operator declares beside its function."""

    shape: ShapeRule | None = None
    dtype: DTypeRule | None = None
    outputs: tuple[str, ...] | Callable[[Any], tuple[str, ...]] = ("output",)
    visible: int | None = None
    inputs: Callable[[Any], tuple[str, ...]] | None = None
    mutates: tuple[str, ...] = ()
    differentiable: bool = True
    backward: Callable[..., Any] | None = None
    settle: Callable[[Op, tuple[int, ...], torch.dtype], dict[str, Any]] | None = None


class FunctionOp(Op):
    """An operator whose forward is a function: positional arguments arrays, the rest parameters."""

    _rules: Rules

    def __init__(self, type_: OpType, rules: Rules, function: Callable[..., Any], values: Any):
        super().__init__(**values)
        own = rules.backward
        self.__dict__.update(
            type=type_,
            mutates=rules.mutates,
            differentiable=rules.differentiable,
            forward=functools.partial(function, **values) if values else function,
            backward=functools.partial(own, **values) if own and values else own,
            _rules=rules,
        )

    def inputs(self) -> tuple[str, ...]:
        return self._rules.inputs(self) if self._rules.inputs else super().inputs()

    def outputs(self) -> tuple[str, ...]:
        named = self._rules.outputs
        return named(self) if callable(named) else named

    def n_visible(self) -> int:
        return super().n_visible() if self._rules.visible is None else self._rules.visible

    @property
    def has_shape_rule(self) -> bool:
        return self._rules.shape is not None

    def infer_shape(self, s: Shapes) -> None:
        rule = self._rules.shape
        rule(self, s) if rule else super().infer_shape(s)

    def settled(self, shape: tuple[int, ...], dtype: torch.dtype) -> Op:
        if self._rules.settle is None:
            return self
        changes = self._rules.settle(self, shape, dtype)
        return self.changed(**changes) if changes else self

    def infer_dtype(self, t: DTypes) -> None:
        rule = self._rules.dtype
        rule(self, t) if rule else super().infer_dtype(t)


def register_function(
    names: Sequence[str],
    function: Callable[..., Any],
    *,
    declaration: Callable[..., Any] | None = None,
    named_inputs: bool = True,
    **rules: Any,
) -> OpType:
    """Registers `function` as an operator under `names`.

    Args:
        names: canonical name first.
        function: tensors, then parameters by keyword, to tensors.
        declaration: a function with the arguments and docstring to show, when `function` is one of
            ATen's and has none to read.
        named_inputs: see OpType.
        rules: fields of `Rules`.
    """
    shown = declaration or function
    declared = Rules(**rules)

    def make(**values: Any) -> Op:
        return FunctionOp(type_, declared, function, values)

    type_ = OpType(names, shown, make, shown, named_inputs)
    REGISTRY.register(type_, *names)
    return type_


def function_operator(*names: str, **rules: Any) -> Callable[[F], F]:
    """Registers a function under `names`; its keyword-only arguments become the parameters.

    Keywords are the fields of `Rules`: shape, dtype (rules that replace the defaults), outputs,
    inputs (names, when they depend on parameters), mutates, differentiable, backward, settle (the
    parameters that change in `Op.settled`).
    """

    def declare(function: F) -> F:
        register_function(names, function, **rules)
        return function

    return declare


# Rules that many operators share ------------------------------------------------------------------


def elementwise_shape(op: Op, s: Shapes) -> None:
    """All arrays have one shape, known in every direction."""
    s.same(*s.inputs, *s.outputs)


def same_dtype(op: Op, t: DTypes) -> None:
    """All arrays have one element type."""
    t.same(*t.inputs, *t.outputs)


def as_tuple(results: Any) -> tuple[Any, ...]:
    """What a forward gives, as a tuple also where it is one output."""
    return results if isinstance(results, tuple) else (results,)


def _with_shapes(error: Exception, s: Shapes) -> str:
    shapes = ", ".join(f"{n}={shape_text(s.known(n))}" for n in s.inputs)
    return f"{str(error).splitlines()[0]} ({shapes})"
