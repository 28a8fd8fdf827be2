# SPDX-License-Identifier: Apache-2.0
"""The border to torch: private names of torch that mxnova uses, each with a public fallback.

Private names may go, or take other arguments, in any release, and builds differ in what they have:
those for Apple's and Jetson's processors lack oneDNN. Each is tried once, when it is first used, on
numbers whose result is known. What is absent, raises or gives other numbers is replaced by public
calls, which are slower. Those that update weights stand in `torch_optimizers`,
those for 8-bit integers in `torch_integers`, those of cuDNN in `torch_cudnn`;
`tests/meta/test_torch_border.py` finds private names elsewhere.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

__all__ = [
    "ATEN",
    "after_backward",
    "apply_function",
    "backward_pass",
    "base_of",
    "convolution_pointwise",
    "elu_backward",
    "gelu_",
    "hardtanh_backward",
    "has_backward_hooks",
    "has_final_calls",
    "has_lapack",
    "has_onednn_bfloat16",
    "has_onednn_kernels",
    "int_mm",
    "is_fork_without_gpus",
    "is_traced",
    "is_transformed",
    "is_zero_tensor",
    "linear_pointwise",
    "native_library",
    "only_torch",
    "reorder_convolution_weight",
    "reorder_linear_weight",
    "run_backward",
    "sparse_parts",
    "standard_gamma",
    "version_of",
    "while_loop",
    "without_donated_buffers",
    "works",
]

ATEN = "torch.ops.aten"
"""Where Python finds ATen's operators, as text."""
Unary = tuple[str, list[float], str]  # an activation: its name, numbers and algorithm
Window = tuple[list[int], list[int], list[int], int]  # padding, stride, dilation, groups


def works(trial: Callable[[], bool]) -> bool:
    """Whether a private name is there, takes the arguments that it is given, and is right."""
    try:
        with torch.no_grad():
            return trial()
    except Exception:  # noqa: BLE001 - whatever a foreign function raises, it is not usable
        return False


# oneDNN -------------------------------------------------------------------------------------------


@functools.cache
def has_onednn_kernels() -> bool:
    """Whether oneDNN's fused convolutions and products are there."""
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    return works(_convolves) and works(_multiplies)


def _convolves() -> bool:
    image, weight, bias = torch.full((1, 2, 3, 3), 2.0), torch.ones(1, 2, 1, 1), -torch.ones(1)
    place, other = ([0, 0], [1, 1], [1, 1], 1), torch.ones(1, 1, 3, 3)
    packed = reorder_convolution_weight(weight, place, [1, 2, 3, 3])
    what = (image, packed, bias, place)
    plain = convolution_pointwise(*what, ("relu", [], ""))
    summed = convolution_pointwise(*what, ("none", [], ""), other)
    convolution_pointwise(*what, ("relu", [], ""), other, in_place=True)
    return bool((plain == 3).all() and (summed == 4).all() and (other == 4).all())


def _multiplies() -> bool:
    rows, weight = torch.ones(2, 3), torch.ones(4, 3)
    packed = reorder_linear_weight(weight, 2)
    found = [linear_pointwise(rows, w, None, ("relu", [], "")) for w in (weight, packed)]
    return all(bool((f == 3).all()) for f in found)


def convolution_pointwise(
    image: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    window: Window,
    unary: Unary,
    other: Tensor | None = None,
    in_place: bool = False,
) -> Tensor:
    """``unary(convolution(image) + other)``, where `has_onednn_kernels`.

    Args:
        image: (n, channels, height, width).
        weight: (filters, channels / groups, height, width), or as laid out for the kernel.
        bias: (filters,).
        window: padding, stride and dilation of each axis, number of groups of channels.
        unary: the activation; with `other` none or relu.
        other: of the output's shape.
        in_place: the result is written to `other`.
    """
    result: Tensor
    if other is None:
        result = torch.ops.mkldnn._convolution_pointwise(image, weight, bias, *window, *unary)
        return result
    after = None if unary[0] == "none" else unary[0]
    rest: Any = (weight, bias, *window, "add", 1.0, after, [], None)
    if not in_place and other.shape[1] == 1:  # torch 2.6 fails to read a summand of one channel
        in_place, other = True, other.clone()
    if in_place:
        result = torch.ops.mkldnn._convolution_pointwise_.binary(other, image, *rest)
    else:
        result = torch.ops.mkldnn._convolution_pointwise.binary(image, other, *rest)
    return result


def reorder_convolution_weight(weight: Tensor, window: Window, shape: list[int]) -> Tensor:
    """`weight` in the layout that the kernel for images of `shape` reads."""
    packed: Tensor = torch.ops.mkldnn._reorder_convolution_weight(weight, *window, shape)
    return packed


def linear_pointwise(data: Tensor, weight: Tensor, bias: Tensor | None, unary: Unary) -> Tensor:
    """``unary(data @ weight.T + bias)``, where `has_onednn_kernels`."""
    result: Tensor = torch.ops.mkldnn._linear_pointwise(data, weight, bias, *unary)
    return result


def reorder_linear_weight(weight: Tensor, n_rows: int) -> Tensor:
    """`weight` in the layout that the kernel for so many rows reads."""
    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight, n_rows)
    return packed


@functools.cache
def has_onednn_bfloat16() -> bool:
    """Whether oneDNN computes in bfloat16 on this processor."""
    if not has_onednn_kernels():
        return False
    return works(lambda: bool(torch.ops.mkldnn._is_mkldnn_bf16_supported()))


# Autograd -----------------------------------------------------------------------------------------


def _run_backward_publicly(
    roots: Sequence[Tensor],
    gradients: Sequence[Tensor],
    keep_graph: bool,
    create_graph: bool,
    inputs: Sequence[Tensor],
    _allow_unreachable: bool,
    accumulate: bool,
) -> Sequence[Tensor | None]:
    if accumulate:
        torch.autograd.backward(roots, gradients, keep_graph, create_graph, inputs=inputs)
        return ()
    return torch.autograd.grad(
        roots, inputs, gradients, keep_graph, create_graph, allow_unused=True
    )


def _engine_works() -> bool:
    with torch.enable_grad():
        leaf = torch.ones(2, requires_grad=True)
        result = leaf * 3
    engine: Any = torch.autograd.Variable._execution_engine
    pass_ = ((result,), (torch.ones(2),), True, False, (leaf,), True)
    (found,) = engine.run_backward(*pass_, False)
    engine.run_backward(*pass_, True)
    return bool((found == 3).all() and leaf.grad is not None and (leaf.grad == 3).all())


def _backward_runner() -> Callable[..., Any]:
    if not works(_engine_works):
        return _run_backward_publicly
    runner: Callable[..., Any] = torch.autograd.Variable._execution_engine.run_backward
    return runner


# Positional: roots, their gradients, keep_graph, create_graph, inputs, allow_unreachable, and
# whether gradients are added to the inputs' `.grad` instead of being returned.
# torch.autograd.grad spends 5 µs on checking arguments, as much as a small pass takes.
run_backward = _backward_runner()


def backward_pass() -> int:
    """The number of the backward pass that runs in this thread, where `has_final_calls`."""
    return torch._C._current_graph_task_id()


def after_backward(call: Callable[[], None]) -> None:
    """Calls a function when the backward pass that runs is over, where `has_final_calls`."""
    torch.autograd.Variable._execution_engine.queue_callback(call)


@functools.cache
def has_final_calls() -> bool:
    """Whether backward passes have numbers, and call what they are asked to at their end."""
    seen: list[int] = []

    def hook(_gradient: Tensor) -> None:
        seen.append(backward_pass())
        after_backward(lambda: seen.append(0))

    def is_last() -> bool:
        leaf = torch.ones(1, requires_grad=True)
        with torch.enable_grad():
            middle = leaf * 2
        middle.register_hook(hook)  # type: ignore[no-untyped-call]
        torch.autograd.grad(middle, leaf, torch.ones(1))
        return len(seen) == 2 and seen[0] >= 0 == seen[1]

    return works(is_last)


def apply_function(function: type[torch.autograd.Function]) -> Callable[..., Any]:
    """``function.apply`` that does not look for functorch's transforms, which takes 3 µs."""
    applied = getattr(super(torch.autograd.Function, function), "apply", function.apply)
    return cast("Callable[..., Any]", applied)


# Tracing ------------------------------------------------------------------------------------------


class _Tracing(threading.local):
    only_torch = False


_TRACING = _Tracing()
_is_compiling = torch.compiler.is_compiling


def is_traced() -> bool:
    """Whether what runs is recorded or transformed by torch, so that only its own calls will do."""
    return _is_compiling() or _TRACING.only_torch


@contextmanager
def only_torch() -> Iterator[None]:
    """A block in which `is_traced` says so."""
    before, _TRACING.only_torch = _TRACING.only_torch, True
    try:
        yield
    finally:
        _TRACING.only_torch = before


def is_transformed() -> bool:
    """Whether one of torch.func's transforms runs, such as vmap."""
    try:
        found = torch._C._functorch.peek_interpreter_stack()
    except AttributeError:
        return False
    return found is not None


def while_loop(
    condition: Callable[..., Tensor],
    step: Callable[..., tuple[Tensor, ...]],
    values: tuple[Tensor, ...],
) -> tuple[Tensor, ...]:
    """``while condition(*values): values = step(*values)``, as one step of what is traced."""
    public: Any = getattr(torch, "while_loop", None)
    if public is not None:
        return tuple(public(condition, step, values))
    return tuple(torch.ops.higher_order.while_loop(condition, step, values, ()))


# Tensors ------------------------------------------------------------------------------------------

if not hasattr(Tensor, "_base"):
    raise ImportError(f"torch {torch.__version__} does not tell what a tensor is a view of (_base)")
# None for a tensor that is no view; the tensor whose memory a view shares. Nothing public tells.
base_of: Callable[[Tensor], Tensor | None] = attrgetter("_base")


def _version_getter() -> Callable[[Tensor], int]:
    if hasattr(Tensor, "_version"):
        return attrgetter("_version")
    counter = itertools.count()
    return lambda _tensor: next(counter)  # as if it had been written to


# How often a tensor's memory was written to.
version_of = _version_getter()
# Whether a tensor is one of zeros without memory, as second derivatives that vanish are.
is_zero_tensor: Callable[[Tensor], bool] = getattr(Tensor, "_is_zerotensor", lambda _tensor: False)


def sparse_parts(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Indices and values of a tensor in COO format; where torch allows it also uncoalesced."""
    try:
        return tensor._indices(), tensor._values()
    except AttributeError:
        summed = tensor.coalesce()
        return summed.indices(), summed.values()


def has_backward_hooks(tensor: Tensor) -> bool:
    """Whether somebody watches gradients of `tensor`."""
    return bool(getattr(tensor, "_backward_hooks", None))


def has_lapack() -> bool:
    """Whether torch was built with LAPACK."""
    return bool(getattr(torch._C, "has_lapack", True))


def is_fork_without_gpus() -> bool:
    """Whether this process was forked from one that used a GPU: CUDA does not start in it."""
    return bool(getattr(torch.cuda, "_is_in_bad_fork", lambda: False)())


# Libraries ----------------------------------------------------------------------------------------


def native_library(loader: Callable[[str], Any] = ctypes.CDLL) -> Any:
    """The shared library of ATen's kernels, which is loaded already; None where it is not found.

    Functions of the libraries that it was linked to, such as OpenMP's, are found in it, too. All
    of them take numbers only: of none does a structure have to be known.

    Args:
        loader: `ctypes.PyDLL` for functions that keep the interpreter's lock, as short ones should.
    """
    found = sorted((Path(torch.__file__).parent / "lib").glob("libtorch_cpu.*"))
    return loader(str(found[0])) if found else None


# Kernels ------------------------------------------------------------------------------------------


def gelu_(data: Tensor) -> Tensor:
    """GELU in place."""
    if _has_gelu_():
        result: Tensor = torch.ops.aten.gelu_(data)
        return result
    return data.copy_(F.gelu(data))


@functools.cache
def _has_gelu_() -> bool:
    data = torch.linspace(-3, 3, 7)
    return works(lambda: torch.allclose(torch.ops.aten.gelu_(data.clone()), F.gelu(data)))


def elu_backward(d_output: Tensor, alpha: float, scale: float, output: Tensor) -> Tensor:
    """The gradient of ``scale * elu(scale * x, alpha)`` by the output."""
    if _has_elu_backward():
        slope: Tensor = torch.ops.aten.elu_backward(d_output, alpha, scale, scale, True, output)
        return slope
    return _elu_backward(d_output, alpha, scale, output)


def _elu_backward(d_output: Tensor, alpha: float, scale: float, output: Tensor) -> Tensor:
    below = (output + alpha * scale) * scale
    return d_output * torch.where(output <= 0, below, scale)


@functools.cache
def _has_elu_backward() -> bool:
    numbers = (torch.ones(4), 1.5, 2.0, torch.tensor([-2.0, -0.5, 0.25, 3.0]))

    def agrees() -> bool:
        found = torch.ops.aten.elu_backward(*numbers[:3], 2.0, True, numbers[3])
        return torch.allclose(found, _elu_backward(*numbers))

    return works(agrees)


def hardtanh_backward(d_output: Tensor, output: Tensor, low: float, high: float) -> Tensor:
    """`d_output` where ``low < output < high``, else 0: in a third of the time of a mask."""
    if _has_hardtanh_backward():
        d_data: Tensor = torch.ops.aten.hardtanh_backward(d_output, output, low, high)
        return d_data
    return torch.where((output > low) & (output < high), d_output, 0)


@functools.cache
def _has_hardtanh_backward() -> bool:
    output = torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0])

    def agrees() -> bool:
        found = torch.ops.aten.hardtanh_backward(torch.ones(5), output, 0, 1)
        return bool(found.tolist() == [0, 0, 1, 0, 0])

    return works(agrees)


def int_mm(a: Tensor, b: Tensor) -> Tensor:
    """int32 product of two int8 matrices."""
    if _has_int_mm():
        return torch._int_mm(a, b)
    if not a.is_cuda:
        return a.int() @ b.int()
    return (a.double() @ b.double()).int()  # CUDA multiplies no int32


@functools.cache
def _has_int_mm() -> bool:
    ones = torch.ones(32, 32, dtype=torch.int8)
    return works(lambda: bool((torch._int_mm(ones, ones) == 32).all()))


def standard_gamma(shape: Tensor, generator: torch.Generator | None) -> Tensor:
    """A draw from the gamma distribution of scale 1 for every element of `shape`."""
    if _has_standard_gamma():
        return torch._standard_gamma(shape, generator=generator)
    device = "cpu" if generator is None else generator.device
    key = torch.randint(2**62, (), generator=generator, device=device)
    drawn = np.random.default_rng(int(key)).standard_gamma(shape.double().cpu().numpy())
    return torch.as_tensor(drawn).to(shape)


@functools.cache
def _has_standard_gamma() -> bool:
    generator = torch.Generator().manual_seed(0)
    drawn: Callable[[], Tensor] = lambda: torch._standard_gamma(  # noqa: E731
        torch.full((64,), 1e4), generator=generator
    )
    return works(lambda: bool((drawn() - 1e4).abs().max() < 1e3))


def without_donated_buffers() -> AbstractContextManager[Any]:
    """A block in which Inductor compiles gradients that can be computed twice."""
    functorch = getattr(torch, "_functorch", None)
    try:
        patched: AbstractContextManager[Any] = functorch.config.patch(  # type: ignore[union-attr]
            donated_buffer=False
        )
    except AttributeError:  # a release without the setting, or without donated buffers
        return nullcontext()
    return patched
