# SPDX-License-Identifier: Apache-2.0
"""Operator `Custom`: runs what users wrote in Python, forwards and backwards."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from ...base.errors import (
    ArgumentError,
    ArgumentTypeError,
    MXNetError,
    UnknownNameError,
    candidates,
    shown,
)
from ...base.parameter_types import NOT_GIVEN, attr_text
from ...base.shapes import Pause, from_user, to_user
from ...op.dtypes import mx_dtype, torch_dtype
from ...op.infer import DTypes, Shapes
from ...op.kernel import Kernel
from ...op.schema import REGISTRY, Op, OpType
from ...op.sparse.storage import Value
from ...runtime.context import Context
from .custom_run import Facts, RecordedRun, Run, SparseStep, UserCode

__all__ = ["Custom", "register_custom"]


class CustomOp(Protocol):
    """What a user's operator does; see `mxnova.operator.CustomOp`."""

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Writes the outputs."""

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Writes the gradients."""


class CustomOpProp(Protocol):
    """What a user says of an operator; see `mxnova.operator.CustomOpProp`."""

    def list_arguments(self) -> Sequence[str]:
        """Names of the inputs."""

    def list_outputs(self) -> Sequence[str]:
        """Names of the outputs."""

    def list_auxiliary_states(self) -> Sequence[str]:
        """Names of the auxiliary states."""

    def infer_shape(self, in_shape: list[list[int]]) -> Sequence[Any]:
        """Shapes of inputs, outputs and auxiliary states."""

    def infer_type(self, in_type: list[Any]) -> Sequence[Any]:
        """Element types of inputs, outputs and auxiliary states."""

    def infer_storage_type(self, in_stype: list[str]) -> Sequence[Any]:
        """Storage types of inputs, outputs and auxiliary states."""

    def infer_storage_type_backward(
        self, ograd_stype: Any, in_stype: Any, out_stype: Any, igrad_stype: Any, aux_stype: Any
    ) -> Sequence[Any]:
        """Storage types of five groups of arrays in backward."""

    def declare_backward_dependency(
        self, out_grad: list[int], in_data: list[int], out_data: list[int]
    ) -> Sequence[int]:
        """Which of the numbered arrays backward reads."""

    def create_operator(self, ctx: Context, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """The operator itself."""


_registered: dict[str, Callable[..., CustomOpProp]] = {}


def register_custom(name: str, prop: Callable[..., CustomOpProp]) -> None:
    """Makes ``op_type=name`` mean `prop`, from now on; graphs made before keep what they have."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"register: reg_name={shown(name)}: must be text")
    _registered[name] = prop


class Custom(Op):
    """An operator written in Python and registered with ``mx.operator.register``.

    Further parameters are handed, as text, to the registered class.

    Args:
        data: inputs, then auxiliary states.
        op_type: the name that it is registered under.
    """

    op_type: str
    _parameters = ("op_type",)
    can_run_twice = False
    starts_gradients = True
    rules_are_fixed = False  # they are the user's
    is_opaque = True

    prop: CustomOpProp
    _kept: list[CustomOp] | None = None  # one operator for all runs, once it is made
    _arguments: tuple[str, ...]
    _outputs: tuple[str, ...]
    _results: dict[Any, list[Facts]]  # by shapes and types of inputs

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        options = {n: v for n, v in values.items() if n != "op_type"}
        with self.user_code("__init__"):
            prop = _registered[self.op_type](**options)
        with self.user_code("list_arguments, list_outputs or list_auxiliary_states"):
            self.__dict__.update(
                prop=prop,
                _arguments=tuple(prop.list_arguments()),
                _outputs=tuple(prop.list_outputs()),
                aux=tuple(prop.list_auxiliary_states()),
                _results={},
            )

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def user_code(self, method: str) -> UserCode:
        """The block in which `method` of the user runs."""
        return UserCode(f"Custom: op_type={self.op_type!r}: {method}")

    def inputs(self) -> tuple[str, ...]:
        """Arguments, then auxiliary states."""
        return (*self._arguments, *self.aux)

    def outputs(self) -> tuple[str, ...]:
        """What `list_outputs` says."""
        return self._outputs

    def instance(self) -> Op:
        """The operator with a state of its own, which lasts from run to run."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, _kept=[])
        return copy

    # Rules ---------------------------------------------------------------------------------------

    def infer_shape(self, s: Shapes) -> None:
        """What the user's `infer_shape` says; an unknown shape is an empty list to it."""
        given = [list(to_user(s.known(n)) or ()) for n in self._arguments]
        with self.user_code("infer_shape"):
            found = self.prop.infer_shape(given)
        for name, shape in self._by_name("infer_shape", found):
            s[name] = from_user(tuple(shape))

    def infer_dtype(self, t: DTypes) -> None:
        """What the user's `infer_type` says; an unknown type is None to it."""
        known = [t.known(n) for n in self._arguments]
        with self.user_code("infer_type"):
            found = self.prop.infer_type([d and mx_dtype(d).array_dtype for d in known])
        for name, dtype in self._by_name("infer_type", found):
            t[name] = None if dtype is None else torch_dtype(dtype)

    def _storage(self, stypes: Sequence[str]) -> list[str]:
        """Storage types of the outputs: what the user's `infer_storage_type` says."""
        given = list(stypes[: len(self._arguments)])
        with self.user_code("infer_storage_type"):
            found = self.prop.infer_storage_type(given)
        named = dict(self._by_name("infer_storage_type", found))
        return [named[n] for n in self._outputs]

    def infer_stype(self, stypes: Sequence[str]) -> tuple[str, ...]:
        """What the user's `infer_storage_type` says."""
        return tuple(self._storage(stypes))

    def kernel_for(self, stypes: Sequence[str]) -> Kernel | None:
        """The user's `forward` and `backward` for arrays stored so, where any is sparse."""
        sparse = {*stypes} - {"default"}
        try:
            outputs = self._storage(stypes)
        except MXNetError:
            if sparse:
                raise
            return None  # asked in advance: a user's method may expect sparse arrays only
        if not sparse and {*outputs} <= {"default"}:
            return None
        step = SparseStep(outputs)
        return Kernel(step.forward, tuple(stypes), tuple(outputs), backward=step.backward)

    def _by_name(self, method: str, found: Sequence[Any]) -> list[tuple[str, Any]]:
        """What a rule gives for inputs, outputs and, where there are any, auxiliary states."""
        names = (self._arguments, self._outputs, self.aux)
        given = [list(part) for part in found]
        given += [[]] * (3 - len(given))
        if [len(part) for part in given] != [len(part) for part in names]:
            raise MXNetError(
                f"Custom: op_type={self.op_type!r}: {method} gives "
                f"{', '.join(str(len(part)) for part in given)} entries for its "
                f"{len(names[0])} inputs, {len(names[1])} outputs, {len(names[2])} auxiliary states"
            )
        return list(zip(itertools.chain(*names), itertools.chain(*given), strict=True))

    # Running -------------------------------------------------------------------------------------

    def forward(self, *data: Tensor, train: bool) -> Any:
        """Runs the user's `forward`."""
        run = Run(self, data, train)
        if torch.is_grad_enabled() and any(t.requires_grad for t in data):
            results = RecordedRun.apply(run, *data)  # type: ignore[no-untyped-call]
        else:
            results = tuple(a._tensor for a in run.forward(data))
        return results if len(results) != 1 else results[0]

    def operator_for(self, context: Context, data: Sequence[Value]) -> CustomOp:
        """The user's operator, for inputs like these."""
        if self._kept:
            return self._kept[0]
        shapes = [list(t.shape) for t in data]
        flags = [mx_dtype(t.dtype).flag for t in data]
        with self.user_code("create_operator"):
            made = self.prop.create_operator(context, shapes, flags)
        if self._kept is not None:
            self._kept.append(made)
        return made

    def results(self, data: Sequence[Value]) -> list[Facts]:
        """Shapes and element types of the outputs for these inputs."""
        key = tuple([(tuple(t.shape), t.dtype) for t in data])
        if key not in self._results:
            names, unknown = self.inputs(), [None] * len(self._outputs)
            shapes = Shapes("Custom", names, self._outputs, [*(s for s, _ in key), *unknown])
            dtypes = DTypes("Custom", names, self._outputs, [*(d for _, d in key), *unknown])
            self.infer_shape(shapes)
            self.infer_dtype(dtypes)
            try:
                self._results[key] = [(shapes.full(n), dtypes[n]) for n in self._outputs]
            except Pause:
                raise MXNetError(
                    f"Custom: op_type={self.op_type!r}: infer_shape and infer_type leave open "
                    "what an output is"
                ) from None
        return self._results[key]

    def dependencies(self) -> set[int]:
        """Which of gradients of outputs, arguments and outputs, in one count, backward reads."""
        n, m = len(self._outputs), len(self._arguments)
        with self.user_code("declare_backward_dependency"):
            return set(
                self.prop.declare_backward_dependency(
                    [*range(n)], [*range(n, n + m)], [*range(n + m, n + m + n)]
                )
            )


class _CustomType(OpType):
    """`Custom` as a registered name: its parameters are what the user's class takes."""

    def of(self, attrs: Mapping[str, Any], subgraphs: Sequence[Any] = ()) -> Op:
        """A new operator each time: the user's object may keep state."""
        return self.make(**self.parse(attrs))

    def kept(self, key: Any, names: tuple[str, ...], values: tuple[Any, ...]) -> Op:
        """`of`: none is kept."""
        pairs = zip(names, values, strict=True)
        return self.of({n: v for n, v in pairs if v is not NOT_GIVEN})

    def parse(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        texts = {name: attr_text(value) for name, value in attrs.items()}
        name = texts.get("op_type", "")
        if not name:
            raise ArgumentError("Custom: op_type: the name of a registered operator is needed")
        if name not in _registered:
            known = ", ".join(sorted(_registered)) or "none"
            raise UnknownNameError(
                f"Custom: op_type={name!r} is not registered{candidates(name, _registered)} "
                f"(registered are: {known}). A model's file does not contain its code: import the "
                f"module that calls mx.operator.register({name!r}) first"
            )
        return texts


Custom.type = _CustomType(["Custom", "_npi_Custom"], Custom, Custom.forward)
REGISTRY.register(Custom.type, "Custom", "_npi_Custom")
