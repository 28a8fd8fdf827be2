# SPDX-License-Identifier: Apache-2.0
"""`Op`: one operator with its parameters set, immutable and hashable; the base of all operators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from ..base.cache_keys import identities
from .infer import DTypes, Shapes
from .kernel import Kernel
from .outputs import as_tuple, numbered
from .structure import Structure
from .traits import Activation, Arithmetic, InputShapes, ItemAxes

if TYPE_CHECKING:
    from .schema import OpType

__all__ = ["Op"]


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
        """Whether a forward may take numbers from the random stream that it is given."""
        of_type = self.type
        return "rng" in of_type.signature.facts or any("rng" in k.facts for k in of_type.kernels)

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
