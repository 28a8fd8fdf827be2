# SPDX-License-Identifier: Apache-2.0
"""Names under which Python has ATen's operators: those that take the same arguments in one order.

All others are called by their names in ATen.
"""

from __future__ import annotations

import operator
from typing import Any

import torch

from ...core.runtime.torch_api import ATEN

__all__ = ["CHECKS", "MAKERS", "METHODS", "OF_SIZES", "SAME", "SIGNS", "WORDS", "place_of"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FUNCTIONS = _set("""
    abs acos acosh add addmm all amax amin aminmax any arange arccos arccosh arcsin arcsinh arctan
    arctan2 arctanh argmax argmin argsort asin asinh atan atan2 atanh atleast_1d atleast_2d
    atleast_3d avg_pool1d batch_norm bitwise_and bitwise_not bitwise_or bitwise_xor bmm bucketize
    cat cbrt ceil chunk clamp column_stack conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d copysign cos cosh count_nonzero cumprod cumsum deg2rad diag_embed diagonal diff
    digamma div dstack einsum empty empty_like eq erf erfinv exp expm1 eye flip floor floor_divide
    fmod frac full full_like gather gcd ge grid_sampler gru gt hstack hypot index_copy index_select
    instance_norm isfinite isinf isnan isneginf isposinf kron layer_norm ldexp le lerp lgamma
    linspace log log10 log1p log2 log_softmax logaddexp logical_and logical_not logical_or
    logical_xor logspace lstm lt matmul max max_pool1d maximum mean meshgrid min minimum mm movedim
    mul nan_to_num nansum native_group_norm native_layer_norm ne neg nonzero norm ones ones_like
    pixel_shuffle polygamma pow prod rad2deg real reciprocal relu remainder repeat_interleave
    rnn_relu rnn_tanh roll rot90 round rsqrt scalar_tensor scatter scatter_add searchsorted sigmoid
    sign signbit sin sinh softmax sort sqrt square stack std sub sum take_along_dim tan tanh
    tensor_split tile topk tril triu true_divide trunc unique var view_as_complex view_as_real
    vstack where zeros zeros_like
""")
_OF_LAYERS = _set("""
    adaptive_avg_pool2d avg_pool2d avg_pool3d elu gelu hardsigmoid hardswish hardtanh leaky_relu
    linear max_pool2d max_pool3d mish selu silu softplus
""")
METHODS = _set("""
    add_ bool clamp_ clone contiguous copy_ copysign_ cumsum_ div_ exp_ expand expand_as
    fill_ fill_diagonal_ flatten floor_ index_add index_add_ index_copy_ index_fill index_fill_
    masked_fill masked_fill_ masked_scatter mul_ narrow neg_ new_empty new_full new_ones new_zeros
    permute pow_ relu_ repeat round_ rsqrt_ scatter_ select sigmoid_ split sqrt_ square_ squeeze
    sub_ swapaxes t tanh_ transpose tril_ triu_ unbind unflatten unfold unsqueeze unsqueeze_ view_as
    zero_
""")
MAKERS = _set("arange empty eye full linspace logspace ones scalar_tensor tril_indices zeros")
"""What makes tensors of none."""
CHECKS = ("_assert_scalar", "_assert_tensor_metadata", "_assert_async", "sym_constrain_range")
SAME = ("detach", "detach_", "alias", "lift_fresh_copy")
"""What is the same tensor where no gradients are."""
SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
    "gt": ">", "ge": ">=", "bitwise_and": "&", "bitwise_or": "|", "__and__": "&", "__or__": "|",
}  # fmt: skip
OF_SIZES: dict[Any, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.floordiv: "//",
    operator.truediv: "/", operator.mod: "%", operator.eq: "==", operator.ne: "!=",
    operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
}  # fmt: skip
WORDS: dict[Any, str] = {
    torch.sym_float: "float", torch.sym_int: "int", torch.sym_max: "max", torch.sym_min: "min",
    operator.neg: "-",
}  # fmt: skip


def place_of(name: str, overload: str) -> str:
    """Where Python finds an operator."""
    if name in _FUNCTIONS:
        return f"torch.{name}"
    if name in _OF_LAYERS:
        return f"F.{name}"
    if name.startswith("linalg_") and hasattr(torch.linalg, name.removeprefix("linalg_")):
        return f"torch.linalg.{name.removeprefix('linalg_')}"
    return f"{ATEN}.{name}.{overload}"
