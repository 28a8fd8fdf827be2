# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions whose shapes need values, as custom operators in graphs of symbols.

MXNet saves such nodes under the same names.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from .core.nd.numpy_array import ARRAYS
from .core.numpy import random, shaping
from .operator import CustomOp, CustomOpProp, register
from .util import np_array, np_shape

__all__: list[str] = []


class _Computed(CustomOp):
    """A function of arrays, without a gradient of its own.

    Args:
        function: takes NumPy-like arrays.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Computes the function."""
        with np_shape(), np_array():
            result = self._function(*(x.as_np_ndarray() for x in in_data))
        self.assign(out_data[0], req[0], result.as_nd_ndarray())

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Refused: no gradient flows through it."""
        raise NotImplementedError("the gradient of this function is not there in graphs")


@register("resize_fallback")
class ResizeProp(CustomOpProp):
    """`np.resize`."""

    def __init__(self, new_shape: str) -> None:
        super().__init__(need_top_grad=True)
        self._shape = ast.literal_eval(new_shape)

    def list_arguments(self) -> list[str]:
        """The array."""
        return ["a"]

    def infer_shape(self, in_shape: Any) -> Any:
        """The new shape."""
        shape = (self._shape,) if isinstance(self._shape, int) else self._shape
        return (in_shape[0],), (shape,), ()

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """The operator."""
        return _Computed(lambda a: shaping.resize(ARRAYS, a, self._shape))


@register("mvn_fallback")
class MultivariateNormalProp(CustomOpProp):
    """`np.random.multivariate_normal`."""

    def __init__(self, size: str | None = None) -> None:
        super().__init__(need_top_grad=True)
        self._size = None if size is None else ast.literal_eval(size)

    def list_arguments(self) -> list[str]:
        """Mean and covariance."""
        return ["mean", "variance"]

    def infer_shape(self, in_shape: Any) -> Any:
        """The size, what both have in front, and the length of the vectors."""
        mean, covariance = in_shape
        size = (self._size,) if isinstance(self._size, int) else tuple(self._size or ())
        common = np.broadcast_shapes(tuple(mean[:-1]), tuple(covariance[:-2]))
        return in_shape, ((*size, *common, mean[-1]),), ()

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """The operator."""
        return _Computed(lambda m, v: random.multivariate_normal(ARRAYS, m, v, self._size))
