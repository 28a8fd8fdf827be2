# SPDX-License-Identifier: Apache-2.0
"""Operator declarations in their three spellings.

`@operator` makes an operator of a class, `@function_operator` of a function; the families (unary,
binary, …) make rows of functions.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch

from .gradient_stypes import GradientStypes
from .infer import DTypes, Shapes
from .introspection import annotated, declaring
from .kernel import F
from .promotion import in_common_dtype
from .schema import REGISTRY, Op, OpType
from .traits import Activation, Arithmetic, InputShapes, ItemAxes, ItemRule

__all__ = [
    "Rules",
    "elementwise_shape",
    "function_operator",
    "operator",
    "register_function",
    "same_dtype",
]

# Spelling 3: a class ------------------------------------------------------------------------------

C = TypeVar("C", bound=type[Op])


def operator(*names: str, extends: bool = False, **facing: Any) -> Callable[[C], C]:
    """Registers a subclass of Op under `names`; its annotated fields become the parameters.

    A class that annotates nothing has the parameters of its base; what its docstring does not say
    of arrays and parameters, those of its bases say.

    Args:
        names: canonical name first.
        extends: the class has the parameters of its base, with those that it annotates itself in
            their places, or after them.
        facing: fields of `OpType`: named_inputs, by_name_only, method.
    """

    def declare(cls: C) -> C:
        own = annotated(declaring(cls, Op))
        base = _parameters_of(cls.__bases__[0]) if extends else ()
        cls._parameters = tuple(dict.fromkeys((*base, *own)))
        cls.type = OpType(names, cls, cls.forward, **facing)
        for member in vars(cls).values():
            cls.type.kernels += getattr(member, "_kernels", ())
        REGISTRY.register(cls.type, *names)
        return cls

    return declare


def _parameters_of(cls: type) -> tuple[str, ...]:
    declared: tuple[str, ...] = vars(cls).get("_parameters", ())
    return declared or annotated(declaring(cls, Op))


# Spellings 1 and 2: functions ---------------------------------------------------------------------

ShapeRule = Callable[[Op, Shapes], None]
DTypeRule = Callable[[Op, DTypes], object]


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules that a function operator declares beside its function."""

    shape: ShapeRule | None = None
    dtype: DTypeRule | None = None
    outputs: tuple[str, ...] | Callable[[Any], tuple[str, ...]] = ("output",)
    visible: int | None = None
    inputs: Callable[[Any], tuple[str, ...]] | None = None
    mutates: tuple[str, ...] = ()
    differentiable: bool | None = True
    pointwise: bool = False
    cuts_slopes: bool = False
    copies: bool = False
    is_product: bool = False
    keeps_precision: bool = False
    untraceable: str | None = None
    arithmetic: Arithmetic | None = None
    activation: Activation | Callable[[Any], Activation] | None = None
    items: ItemRule | None = None
    backward: Callable[..., Any] | None = None
    choose: Callable[[Any], Callable[..., Any]] | None = None
    settle: Callable[[Op, tuple[int, ...], torch.dtype], dict[str, Any]] | None = None
    gradient_stypes: GradientStypes | None = None


class FunctionOp(Op):
    """An operator whose forward is a function: positional arguments arrays, the rest parameters."""

    _rules: Rules

    def _bind(self, values: dict[str, Any]) -> None:
        Op._bind(self, values)
        if self._rules.choose is None:  # at once: the first look at `forward` takes 0.5 µs
            self.__dict__["forward"] = self._with_parameters()

    @functools.cached_property
    def forward(self) -> Callable[..., Any]:  # type: ignore[override]
        choose = self._rules.choose
        if choose is not None and self.type.function is self.type.declaration:
            return choose(self)
        return self._with_parameters()

    def _with_parameters(self) -> Callable[..., Any]:
        function = self.type.function
        return functools.partial(function, **self.values) if self.values else function

    @functools.cached_property
    def backward(self) -> Callable[..., Any] | None:  # type: ignore[override]
        own = self._rules.backward
        return functools.partial(own, **self.values) if own and self.values else own

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

    @property
    def activation(self) -> Activation | None:
        trait = self._rules.activation
        return trait(self) if callable(trait) else trait

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        rule = self._rules.items
        return rule(self, axes, shapes) if rule else super().item_axis(axes, shapes)

    @property
    def any_shape(self) -> bool:
        return self.pointwise or self._rules.shape is elementwise_shape

    def infer_shape(self, s: Shapes) -> None:
        rule = self._rules.shape
        rule(self, s) if rule else super().infer_shape(s)

    def settled(self, shape: tuple[int, ...], dtype: torch.dtype) -> Op:
        if self._rules.settle is None:
            return self
        changes = self._rules.settle(self, shape, dtype)
        return self.changed(**changes) if changes else self

    def infer_gradient_stypes(self, heads: Sequence[str], stypes: Sequence[str]) -> tuple[str, ...]:
        rule = self._rules.gradient_stypes
        return rule(self, heads, stypes) if rule else super().infer_gradient_stypes(heads, stypes)

    def infer_dtype(self, t: DTypes) -> None:
        rule = self._rules.dtype
        rule(self, t) if rule else super().infer_dtype(t)


def register_function(
    names: Sequence[str],
    function: Callable[..., Any],
    *,
    declaration: Callable[..., Any] | None = None,
    named_inputs: bool = True,
    by_name_only: tuple[str, ...] = (),
    method: str | bool = False,
    in_place: Callable[..., Any] | None = None,
    promotes: bool = False,
    **rules: Any,
) -> OpType:
    """Register `function` as an operator under `names`.

    Args:
        names: canonical name first.
        function: tensors, then parameters by keyword, to tensors.
        declaration: a function with the arguments and docstring to show, when `function` is one of
            ATen's and has none to read.
        named_inputs, by_name_only, method, in_place: see OpType.
        promotes: whether to cast inputs of several dtypes to their common one first; the dtype rule
            must allow them.
        rules: fields of `Rules`.
    """
    declared = Rules(**rules)
    members = {
        "mutates": declared.mutates,
        "differentiable": declared.differentiable,
        "pointwise": declared.pointwise,
        "cuts_slopes": declared.cuts_slopes,
        "copies": declared.copies,
        "is_product": declared.is_product,
        "keeps_precision": declared.keeps_precision,
        "untraceable": declared.untraceable,
        "arithmetic": declared.arithmetic,
        "_rules": declared,
    }
    cls: type[Op] = type(f"FunctionOp_{names[0]}", (FunctionOp,), members)
    cls.type = OpType(
        names,
        cls,
        in_common_dtype(function) if promotes else function,
        declaration or function,
        named_inputs=named_inputs,
        by_name_only=by_name_only,
        method=method,
        in_place=in_place,
    )
    REGISTRY.register(cls.type, *names)
    return cls.type


def function_operator(*names: str, **rules: Any) -> Callable[[F], F]:
    """Registers a function under `names`; its keyword-only arguments become the parameters.

    Keywords are the fields of `Rules`: shape, dtype (rules that replace the defaults), outputs,
    inputs (names, when they depend on parameters), mutates, differentiable, backward, choose (the
    function of the tensors alone to which parameters come down), settle (the parameters that change
    in `Op.settled`), gradient_stypes; the traits of `Op`: pointwise, copies, is_product,
    keeps_precision, cuts_slopes, untraceable, arithmetic, activation (also a function of the
    operator) and items (what `Op.item_axis` is to give); named_inputs, by_name_only and method are
    those of `OpType`, promotes that of `register_function`.
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
