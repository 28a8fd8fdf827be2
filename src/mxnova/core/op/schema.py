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
from typing import Any, ClassVar

import torch

from ..base.cache_keys import EXACT, identities, identity
from ..base.parameter_types import NOT_GIVEN, REQUIRED
from ..base.params import Field, parse_attrs, parse_field
from ..base.registry import Registry
from .infer import DTypes, Shapes
from .introspection import argument_docs, declared_fields, full_doc
from .kernel import KERNELS, Kernel, Signature
from .number_binding import NumberBinding
from .outputs import as_tuple, numbered
from .structure import Structure
from .traits import Activation, Arithmetic, InputShapes, ItemAxes

__all__ = ["REGISTRY", "Op", "OpType", "find"]

REGISTRY: Registry[OpType] = Registry("operator")


class Op:
    """One operator with its parameters set; nearly every parameter is an attribute of its name.

    Attributes:
        type: what it was made from.
        values: its parameters by name.
        aux: names of its auxiliary states, inputs that a Symbol lists apart.
        mutates: inputs that forward writes to.
        writes: inputs that forward writes to though a Symbol lists them as arguments.
        writes_in_backward: inputs that a backward pass writes to, by `on_backward`.
        initializers: input -> the ``__init__`` text of a variable there that has none.
        subgraphs: the graphs inside a control-flow operator.
        pointwise: whether each element of the output comes of one element of each input.
        rules_are_fixed: whether its rules always make the same of the same shapes and types.
        copies: whether, outside training, its only output is its only input again.
        is_opaque: whether nothing is known of how much forward has to do.
        untraceable: why torch cannot trace forward (torch.export, torch.compile); None: it can.
        is_fresh: whether its outputs never share memory with its inputs.
        is_product: whether it multiplies matrices, as layers do that take a network's time.
        keeps_precision: whether its outputs hold but what its inputs hold, and zeros.
        cuts_slopes: whether gradients of integers are multiplied by slopes cut to whole numbers.
        arithmetic: the function of two operands that it is, and its form; None for others.
        differentiable: False where the gradient is zero: results are cut from the graph. None where
            MXNet has no gradient, so that binding is refused where one is wanted.
        starts_gradients: whether gradients come of a backward pass though zeros arrive, where
            `backward` does not tell; see `gradient.is_source`.
        forward: tensors (and the facts it asks for) to its output, a tuple when there are several.
        backward: its own gradient, where that is not the derivative of forward: takes, by name,
            d_<output>, inputs and outputs; gives the inputs' gradients in order (None: no gradient;
            trailing ones may be left out).
    """

    type: OpType
    aux: ClassVar[tuple[str, ...]] = ()
    mutates: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    writes_in_backward: tuple[str, ...] = ()
    initializers: ClassVar[Mapping[str, str]] = {}
    subgraphs: tuple[Any, ...] = ()
    pointwise: ClassVar[bool] = False
    rules_are_fixed: ClassVar[bool] = True
    is_opaque: ClassVar[bool] = False
    untraceable: str | None = None
    copies: ClassVar[bool] = False
    is_product: ClassVar[bool] = False
    keeps_precision: ClassVar[bool] = False
    cuts_slopes: ClassVar[bool] = False
    arithmetic: ClassVar[Arithmetic | None] = None
    differentiable: bool | None = True
    starts_gradients: bool = False
    forward: Callable[..., Any]
    backward: Callable[..., Any] | None = None
    values: dict[str, Any]
    _parameters: ClassVar[tuple[str, ...]] = ()
    _clashing: ClassVar[tuple[str, ...]] = ()  # parameters that are named like an attribute here

    def __init__(self, *, subgraphs: Any = (), **values: Any) -> None:
        # Plain code for all instead of a dataclass each: registering 120 of those costs 0.1 s.
        self._bind(values)
        if subgraphs:
            self.__dict__["subgraphs"] = tuple(subgraphs)

    def _bind(self, values: dict[str, Any]) -> None:
        own = self.__dict__
        own.update(values)
        for name in self._clashing:
            del own[name]
        own["values"] = values

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"operator {self.name} is immutable: {name} cannot be set")

    @functools.cached_property
    def structure(self) -> Structure:
        """The structure that all operators share which differ in numbers only."""
        return Structure(self)

    @functools.cached_property
    def _identity(self) -> Any:
        return id(self.type), identities(self.values), tuple(map(id, self.subgraphs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Op):
            return NotImplemented
        return bool(self._identity == other._identity)

    def __hash__(self) -> int:
        return hash(self._identity)

    def changed(self, **values: Any) -> Op:
        """The operator with other values for some parameters."""
        return self.type.of({**self.values, **values}, self.subgraphs)

    @property
    def name(self) -> str:
        """The canonical name."""
        return self.type.name

    def inputs(self) -> tuple[str, ...]:
        """Names of the input arrays, in order; a variadic input yields arg0, arg1, …."""
        signature = self.type.signature
        if signature.variadic is None:
            return signature.inputs
        return (*signature.inputs, *numbered("arg", self.n_variadic()))

    def n_variadic(self) -> int:
        """The number of its variadic inputs: parameter `num_args`."""
        return int(self.attr("num_args"))

    def outputs(self) -> tuple[str, ...]:
        """Names of the output arrays, in order."""
        return ("output",)

    def n_visible(self) -> int:
        """How many of the outputs a Symbol shows; the rest serve other operators."""
        return len(self.outputs())

    def attr(self, name: str) -> Any:
        """The value of parameter `name`, also where the attribute of that name is another."""
        return self.values[name] if name in self.values else getattr(self, name)

    @property
    def is_fresh(self) -> bool:
        return self.pointwise

    @property
    def activation(self) -> Activation | None:
        """The activation function that its only output is of its only input; None for others."""
        return None

    def body_shapes(self, shapes: InputShapes) -> Sequence[InputShapes]:
        """Shapes of the inputs of each subgraph, for those of its own; none: they are unknown."""
        return ()

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        """The axis along which its outputs keep items apart outside training; None: items meet.

        Args:
            axes: the axis of items of each input, None where an input is the same for all items.
            shapes: of the inputs, None where they are unknown.
        """
        axis = axes[0] if self.pointwise and len(set(axes)) == 1 else None
        if axis is None or len(shapes) == 1:
            return axis
        lengths = {None if s is None else (len(s), s[axis]) for s in shapes}  # they may broadcast
        return None if len(lengths) > 1 or None in lengths else axis

    @property
    def has_shape_rule(self) -> bool:
        """Whether it states its shapes itself, instead of by running forward on meta tensors."""
        return type(self).infer_shape is not Op.infer_shape

    @property
    def any_shape(self) -> bool:
        """Whether a single input may have any shape."""
        return self.pointwise

    def infer_shape(self, s: Shapes) -> None:
        """States what holds between the shapes of its arrays. Default: forward on meta tensors."""
        inputs = [torch.empty(s.full(n), device="meta") for n in s.inputs]
        try:
            results = self.forward(*inputs, **self.quiet_facts())
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            raise s.fail_of(error) from None
        for name, result in zip(s.outputs, as_tuple(results), strict=True):
            s[name] = tuple(result.shape)

    def shape_advice(self, s: Shapes, name: str) -> str:
        """What to do where array `name` has a shape that its others do not fit; empty: nothing."""
        return ""

    def infer_dtype(self, t: DTypes) -> None:
        """States what holds between the element types of its arrays. Default: one for all."""
        t.same(*t.inputs, *t.outputs)

    def infer_gradient_stypes(self, heads: Sequence[str], stypes: Sequence[str]) -> tuple[str, ...]:
        """Storage types of the inputs' gradients.

        Args:
            heads: storage types of the outputs' gradients.
            stypes: storage types of the inputs.
        """
        return ("default",) * len(stypes) if self.differentiable else tuple(stypes)

    def infer_stype(self, stypes: Sequence[str]) -> tuple[str, ...]:
        """Storage types of the outputs for those of the inputs."""
        found = self.kernel_for(stypes) or self.kernel_for(["default"] * len(stypes))
        return ("default",) * len(self.outputs()) if found is None else found.out

    def kernel_for(self, stypes: Sequence[str]) -> Kernel | None:
        """The forward for inputs stored so; None where only the dense one would do."""
        if not self.type.kernels:
            return None
        known = self.structure.kernels
        key = tuple(stypes)
        if key not in known:
            known[key] = [k for k in self.type.kernels if k.serves(self, key)]
        for kernel in known[key]:
            if kernel.when_numbers is None or kernel.when_numbers(self):
                return kernel
        return None

    def fast_forward(self, *tensors: torch.Tensor) -> Callable[..., Any] | None:
        """What does as `forward` on real tensors of these shapes, with less looking; None: nothing.

        Asked of operators without numbers, for eager calls.
        """
        return getattr(self.forward, "of_floats", None)

    def settled(self, shape: tuple[int, ...], dtype: torch.dtype) -> Op:
        """The operator giving an output of this shape and type, where its parameters left it open.

        Asked of operators without inputs, whose readers may know more than they do.
        """
        return self

    def on_backward(
        self, inputs: Sequence[torch.Tensor], further: Sequence[torch.Tensor], **facts: Any
    ) -> Callable[[], None] | None:
        """Return a hook for the arrival of the first output's gradient; called after forward.

        Args:
            inputs: those of forward.
            further: the outputs behind the first.
            facts: those of forward.
        """
        return None

    @property
    def draws(self) -> bool:
        """Whether forward may take numbers from the random stream that it is given."""
        return "rng" in self.type.signature.facts

    @property
    def can_run_twice(self) -> bool:
        """Whether forward may run once more, for a gradient, without anybody noticing."""
        return not (self.draws or self.subgraphs or self.structure.written)

    def instance(self) -> Op:
        """The operator for one executor; another one where it keeps a state from run to run."""
        return self

    def quiet_facts(self) -> dict[str, Any]:
        """Facts for a run whose values do not matter."""
        return {n: False if n in ("train", "inside") else None for n in self.type.signature.facts}


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
    """The operator registered as `name`.

    Raises:
        UnknownNameError: there is none; the text says what is close.
    """
    return REGISTRY[name]
