# SPDX-License-Identifier: Apache-2.0
"""Operators and functions written in C, which are lists of functions that are called back.

Handles of arrays that they get are theirs to free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..autograd import Function
from ..core.base.codes import _STORAGE_TYPE_STR_TO_ID
from ..core.base.dtypes import dtype_of, dtype_of_flag
from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.handles import give
from ..core.nd.array import NDArray
from ..core.nd.creation import zeros
from ..core.nd.recording import STATE
from ..operator import CustomOp, CustomOpProp, register
from .arguments import found, text
from .entry_points import call_back, extern
from .enums import stype_at
from .interface import NULL, ffi
from .ndarray import with_memory
from .returns import text_memory, texts_memory

_REQUESTS = {"null": 0, "write": 1, "inplace": 2, "add": 3}
_INPUT, _OUTPUT, _D_INPUT, _D_OUTPUT, _AUX = range(5)  # tags that tell arrays apart
_MOST = 1 << 10  # names in a list; more means that nothing ends it


class _Callbacks:
    """The functions of one thing, each with the state that it is called with.

    The one called ``delete`` is called when this object goes.

    Args:
        owner: what errors call it.
        listed: MXNet's struct.
        types: the type of each function by its name, in the struct's order.
    """

    def __init__(self, owner: str, listed: Any, types: Mapping[str, str]) -> None:
        self._owner = owner
        count = listed.num_callbacks
        if count < 0 or (count and NULL in (listed.callbacks, listed.contexts)):
            raise ArgumentError(f"{owner}: a list of {count} callbacks is a null pointer")
        self._functions = {
            name: (ffi.cast(type, listed.callbacks[i]), listed.contexts[i])
            for i, (name, type) in enumerate(types.items())
            if i < count and listed.callbacks[i] != NULL
        }

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def call(self, name: str, *arguments: Any) -> None:
        """Calls one of the functions.

        Raises:
            MXNetError: there is none, or it says that it failed.
        """
        if name not in self:
            raise MXNetError(f"{self._owner}: there is no callback {name}")
        function, state = self._functions[name]
        if not call_back(function, *arguments, state):
            raise MXNetError(f"{self._owner}: the callback {name} failed")

    def __del__(self) -> None:
        if "delete" in self.__dict__.get("_functions", ()):
            function, state = self._functions["delete"]
            call_back(function, state)


# Operators ----------------------------------------------------------------------------------------

_PROP_TYPES = {
    "delete": "CustomOpDelFunc",
    "list_arguments": "CustomOpListFunc",
    "list_outputs": "CustomOpListFunc",
    "list_auxiliary_states": "CustomOpListFunc",
    "infer_shape": "CustomOpInferShapeFunc",
    "declare_backward_dependency": "CustomOpBwdDepFunc",
    "create_operator": "CustomOpCreateFunc",
    "infer_type": "CustomOpInferTypeFunc",
    "infer_storage_type": "CustomOpInferStorageTypeFunc",
    "infer_storage_type_backward": "CustomOpBackwardInferStorageTypeFunc",
}
_LISTS = ("list_arguments", "list_outputs", "list_auxiliary_states")
_OP_TYPES = {
    "delete": "CustomOpDelFunc",
    "forward": "CustomOpFBFunc",
    "backward": "CustomOpFBFunc",
}


class Prop(CustomOpProp):
    """What functions of C say of an operator.

    Args:
        op_type: what errors call it.
        callbacks: they, of the names and with the arguments of MXNet's ``CustomOpPropCallbacks``.
    """

    def __init__(self, op_type: str, callbacks: Any) -> None:
        super().__init__()
        self._op_type, self._callbacks = op_type, callbacks
        self._names = [self._listed(name) for name in _LISTS]

    def _listed(self, name: str) -> list[str]:
        out = ffi.new("char ***")
        if name not in self._callbacks:
            return []
        self._callbacks.call(name, out)
        names: list[str] = []
        while len(names) < _MOST and out[0] != NULL and out[0][len(names)] != NULL:
            names.append(text(out[0][len(names)]))
        return names

    def list_arguments(self) -> list[str]:
        return self._names[0]

    def list_outputs(self) -> list[str]:
        return self._names[1]

    def list_auxiliary_states(self) -> list[str]:
        return self._names[2]

    def _parts(self, values: Sequence[Any]) -> tuple[list[Any], ...]:
        """`values` of inputs, outputs and auxiliary states."""
        n_inputs, n_outputs = len(self._names[0]), len(self._names[1])
        ends = n_inputs, n_inputs + n_outputs
        return list(values[: ends[0]]), list(values[ends[0] : ends[1]]), list(values[ends[1] :])

    @property
    def _count(self) -> int:
        return sum(map(len, self._names))

    def infer_shape(self, in_shape: Any) -> Any:
        kept = [ffi.new("int[]", list(shape) or 1) for shape in in_shape]
        rest = self._count - len(kept)
        ndims = ffi.new("int[]", [len(shape) for shape in in_shape] + [0] * rest)
        shapes = ffi.new("int *[]", kept + [NULL] * rest)
        self._callbacks.call("infer_shape", self._count, ndims, shapes)
        return self._parts([self._shape(n, s) for n, s in zip(ndims, shapes, strict=True)])

    def _shape(self, ndim: int, sizes: Any) -> list[int]:
        if not 0 <= ndim <= _MOST or (ndim and sizes == NULL):
            raise MXNetError(f"Custom: op_type={self._op_type!r}: a shape of {ndim} sizes")
        return list(ffi.unpack(sizes, ndim)) if ndim else []

    def infer_type(self, in_type: Any) -> Any:
        if "infer_type" not in self._callbacks:
            return super().infer_type(in_type)
        flags = [-1 if kind is None else dtype_of(kind).flag for kind in in_type]
        types = ffi.new("int[]", flags + [-1] * (self._count - len(flags)))
        self._callbacks.call("infer_type", self._count, types)
        return self._parts([_numpy_type(flag) for flag in types])

    def infer_storage_type(self, in_stype: Any) -> Any:
        if "infer_storage_type" not in self._callbacks:
            return super().infer_storage_type(in_stype)
        given = _stype_numbers(in_stype)
        stypes = ffi.new("int[]", given + [-1] * (self._count - len(given)))
        self._callbacks.call("infer_storage_type", self._count, stypes)
        return self._parts([stype_at(number) for number in stypes])

    def infer_storage_type_backward(
        self, ograd_stype: Any, in_stype: Any, out_stype: Any, igrad_stype: Any, aux_stype: Any
    ) -> Any:
        groups = (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)
        if "infer_storage_type_backward" not in self._callbacks:
            return super().infer_storage_type_backward(*groups)
        order = (_D_OUTPUT, _INPUT, _OUTPUT, _D_INPUT, _AUX)
        tags = [tag for tag, group in zip(order, groups, strict=True) for _ in group]
        stypes = ffi.new("int[]", _stype_numbers(s for group in groups for s in group))
        self._callbacks.call(
            "infer_storage_type_backward", len(tags), stypes, ffi.new("int[]", tags or 1)
        )
        found = iter(stypes)
        return tuple([stype_at(next(found)) for _ in group] for group in groups)

    def declare_backward_dependency(self, out_grad: Any, in_data: Any, out_data: Any) -> Any:
        if "declare_backward_dependency" not in self._callbacks:
            return super().declare_backward_dependency(out_grad, in_data, out_data)
        memory = [ffi.new("int[]", list(part) or 1) for part in (out_grad, in_data, out_data)]
        count, needed = ffi.new("int *"), ffi.new("int **")
        self._callbacks.call("declare_backward_dependency", *memory, count, needed)
        most = len(out_grad) + len(in_data) + len(out_data)
        if not 0 <= count[0] <= most:
            raise MXNetError(f"Custom: op_type={self._op_type!r}: {count[0]} dependencies")
        return list(ffi.unpack(needed[0], count[0])) if count[0] else []

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        kept = [ffi.new("unsigned[]", list(shape) or 1) for shape in in_shapes]
        made = ffi.new("struct MXCallbackList *")
        self._callbacks.call(
            "create_operator",
            text_memory(str(ctx)),
            len(kept),
            ffi.new("unsigned *[]", kept or 1),
            ffi.new("int[]", [len(shape) for shape in in_shapes] or 1),
            ffi.new("int[]", list(in_dtypes) or 1),
            made,
        )
        return _Operator(_Callbacks(self._op_type, made[0], _OP_TYPES), self)


def _numpy_type(flag: int) -> Any:
    found = dtype_of_flag(flag)
    return None if found is None else found.array_dtype


def _stype_numbers(stypes: Iterable[str]) -> list[int]:
    return [_STORAGE_TYPE_STR_TO_ID[stype] for stype in stypes]


class _Operator(CustomOp):
    """What functions of C do.

    Args:
        callbacks: they.
        prop: what made it, which lives as long.
    """

    def __init__(self, callbacks: _Callbacks, prop: Prop) -> None:
        self._callbacks, self._prop = callbacks, prop

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        groups = ((_INPUT, in_data), (_OUTPUT, out_data), (_AUX, aux))
        self._call("forward", groups, req, is_train)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        groups = (
            *((_D_OUTPUT, out_grad), (_INPUT, in_data), (_OUTPUT, out_data)),
            *((_D_INPUT, in_grad), (_AUX, aux)),
        )
        self._call("backward", groups, req, True)

    def _call(self, name: str, groups: Iterable[tuple[int, Any]], req: Any, train: bool) -> None:
        tagged = [(tag, give(array)) for tag, arrays in groups for array in arrays]
        self._callbacks.call(
            name,
            len(tagged),
            ffi.new("void *[]", [ffi.cast("void *", handle) for _, handle in tagged] or 1),
            ffi.new("int[]", [tag for tag, _ in tagged] or 1),
            ffi.new("int[]", [_REQUESTS[each] for each in req] or 1),
            int(train),
        )


@extern
def MXCustomOpRegister(op_type: Any, creator: Any) -> None:
    name = text(op_type)
    if creator == NULL:
        raise ArgumentError(f"MXCustomOpRegister: {name}: the creator is a null pointer")

    def make(**options: str) -> Prop:
        keys, *_keys = texts_memory(options)
        values, *_values = texts_memory(options.values())
        made = ffi.new("struct MXCallbackList *")
        if not call_back(creator, text_memory(name), len(options), keys, values, made):
            raise MXNetError(f"Custom: op_type={name!r}: its creator failed")
        return Prop(name, _Callbacks(name, made[0], _PROP_TYPES))

    register(name)(make)


# Functions with a gradient of their own -----------------------------------------------------------

_FUNCTION_TYPES = {"backward": "CustomFunctionBwdFunc", "delete": "CustomFunctionDelFunc"}


class _Function(Function):
    """Outputs that were computed already, with a gradient that C computes."""

    def __init__(self, callbacks: _Callbacks, outputs: Sequence[NDArray]) -> None:
        super().__init__()
        self._callbacks, self._outputs = callbacks, outputs

    def forward(self, *inputs: NDArray) -> list[NDArray]:
        self._shapes = [(array.shape, array.dtype, array.context) for array in inputs]
        outputs, self._outputs = self._outputs, ()
        return list(outputs)

    def backward(self, *output_grads: NDArray) -> list[NDArray]:
        gradients = [zeros(shape, context, dtype) for shape, dtype, context in self._shapes]
        handles = [give(array) for array in (*output_grads, *gradients)]
        self._callbacks.call(
            "backward",
            len(output_grads),
            len(gradients),
            ffi.new("void *[]", [ffi.cast("void *", handle) for handle in handles]),
            ffi.new("int[]", [_REQUESTS["write"]] * len(gradients)),
            1,
        )
        return gradients


@extern
def MXCustomFunctionRecord(
    num_inputs: int, inputs: Any, num_outputs: int, outputs: Any, callbacks: Any
) -> None:
    given = [with_memory(array) for array in found(num_inputs, inputs, NDArray)]
    results = [with_memory(array) for array in found(num_outputs, outputs, NDArray)]
    if callbacks == NULL:
        raise ArgumentError("MXCustomFunctionRecord: the callbacks are a null pointer")
    if not STATE.recording:
        raise MXNetError("MXCustomFunctionRecord: autograd does not record")
    listed = _Callbacks("autograd.Function", callbacks[0], _FUNCTION_TYPES)
    for array, recorded in zip(results, _Function(listed, results)(*given), strict=True):
        array._tracked, array._node = recorded._tracked, recorded._node
