# SPDX-License-Identifier: Apache-2.0
"""A GPU that is none: tensors that say they are on one, with ATen's kernels for the CPU behind them.

Inside a `FakeGpu` ``torch.device("cuda")`` has tensors. They refuse what tensors of a GPU refuse: to
be mixed with the CPU's, to show their memory, and operators and types for which CUDA has no kernel.
What makes the program wait for the device is noted.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import torch
import torchgen
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

CUDA = torch.device("cuda", 0)

# What reads values of the device on the host, so that the host has to wait for them.
WAITS = frozenset(
    """_local_scalar_dense bincount equal is_nonzero item linalg_eig linalg_lstsq masked_select
    nonzero repeat_interleave.Tensor unique_consecutive unique_dim _unique2 histc""".split()
)
# CUDA has no kernel of these for integers.
REAL_ONLY = frozenset(
    """mm bmm addmm baddbmm addbmm addmv mv dot vdot convolution convolution_backward
    max_pool2d_with_indices max_pool3d_with_indices avg_pool2d avg_pool3d _adaptive_avg_pool2d
    _adaptive_avg_pool3d adaptive_max_pool2d upsample_bilinear2d upsample_bicubic2d
    upsample_linear1d upsample_trilinear3d grid_sampler_2d _softmax _log_softmax""".split()
)


def _is_channels_last(tensor):
    return not tensor.is_contiguous() and tensor.is_contiguous(memory_format=torch.channels_last)


def _strides_differ(args):
    """Of what belongs to one weight."""
    columns = [column for column in args[:4] if isinstance(column, (list, tuple)) and column]
    return any(len({t.stride() for t in tensors}) > 1 for tensors in zip(*columns))


def _writes_twice(args):
    return len({t.data_ptr() for t in args[0]}) < len(args[0])


# What CUDA's kernels compute wrong, or refuse: two moves of one tensor in a list; gradients of beta without a gamma, and, with a pad,
# of channels-last images; updates of tensors whose strides differ.
FAULTS = {
    "_foreach_lerp_": _writes_twice,
    "_fused_sgd_": _strides_differ,
    "_fused_adam_": _strides_differ,
    "_fused_adamw_": _strides_differ,
    "native_batch_norm_backward": lambda args: args[2] is None and args[9][2],
    "avg_pool2d_backward": lambda args: _is_channels_last(args[1]) and any(args[4]),
}
# Tensors of the CPU that operators on a GPU take: indices, and numbers.
TAKES_INDICES = frozenset(
    {
        "_pack_padded_sequence",
        "index",
        "index_put_",
        "index_put",
        "_index_put_impl_",
        "copy_",
        "_to_copy",
    }
)


class GpuError(RuntimeError):
    """What a GPU could not do."""


class GpuTensor(torch.Tensor):
    """A tensor that says it is on a GPU; `values_on_cpu` are its values."""

    under = "meta"
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner, device=CUDA):
        under = cls.under if cls.under == "meta" else device
        facts = {"dtype": inner.dtype, "layout": inner.layout, "device": under}
        if inner.layout is torch.strided:
            facts |= {"strides": inner.stride(), "storage_offset": inner.storage_offset()}
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, **facts)
        made.values_on_cpu, made.place = inner, device
        return made

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return _run(function, args, kwargs or {}, None)

    device = property(lambda self: self.place)
    is_cuda = property(lambda self: True)
    is_cpu = is_meta = property(lambda self: False)

    def untyped_storage(self):
        return self.values_on_cpu.untyped_storage()

    def data_ptr(self):
        return self.values_on_cpu.data_ptr()

    def get_device(self):
        return self.place.index

    def new_tensor(self, data, *, dtype=None, device=None):
        return torch.tensor(data, dtype=dtype or self.dtype, device=device or self.device)

    def tolist(self):
        return self.cpu().tolist()

    def numpy(self, *, force=False):
        if not force:
            raise GpuError("numpy() of a tensor on a GPU")
        return self.detach().cpu().numpy()

    def __repr__(self):
        return f"GpuTensor({self.values_on_cpu})"

    def __reduce_ex__(self, protocol):
        raise GpuError("pickle of a tensor on a GPU")


class GpuStream(torch.Generator):
    """A random stream of the GPU."""

    known = set()

    def __new__(cls, device=CUDA):
        made = super().__new__(cls)
        made.place = torch.device(device)
        cls.known.add(made._cdata)
        return made

    def __init__(self, device=CUDA):
        super().__init__()

    device = property(lambda self: self.place)


class FakeGpu(TorchDispatchMode):
    """A block in which there is a GPU; `waits` has the lines that waited for it."""

    def __init__(self):
        super().__init__()
        self.waits = []

    def __enter__(self):
        self._before = torch.cuda._lazy_init, torch._C._only_lift_cpu_tensors()
        torch.cuda._lazy_init = lambda: None
        torch._C._set_only_lift_cpu_tensors(True)
        return super().__enter__()

    def __exit__(self, *args):
        torch.cuda._lazy_init, lifts = self._before
        torch._C._set_only_lift_cpu_tensors(lifts)
        super().__exit__(*args)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return _run(function, args, kwargs or {}, self.waits)


def pretend(monkeypatch):
    """Lets torch say that the machine has one GPU, with tensor cores: `mx.gpu(0)` is a context."""
    found = {
        "is_available": True,
        "device_count": 1,
        "get_device_capability": (9, 0),
        "get_device_name": "stand-in",
    }
    for name, value in found.items():
        monkeypatch.setattr(torch.cuda, name, lambda *_, value=value: value)
    for name in ("set_per_process_memory_fraction", "synchronize"):
        monkeypatch.setattr(torch.cuda, name, lambda *_: None)


def on_gpu(tensor):
    """A copy of a tensor of the CPU."""
    return GpuTensor(tensor.detach().clone()).requires_grad_(tensor.requires_grad)


def _run(function, args, kwargs, waits):
    given = [t for t in _tensors((args, kwargs)) if isinstance(t, GpuTensor)]
    place = _place_of_results(given, kwargs.get("device"))
    name = function._schema.name.partition("::")[2]
    if given:
        _check(function, name, args, kwargs, given)
    stream = kwargs.get("generator")
    if stream is not None and (stream._cdata in GpuStream.known) != (place is not None):
        raise GpuError(f"{name}: a random stream of another device")
    if waits is not None and _has_to_wait(function, name, args, kwargs, place, given):
        waits.append((name, _line()))
    if name in _PRODUCTS and given and isinstance(args[1], (int, float)) and not kwargs:
        function, args = _PRODUCTS[name], (args[0], _reciprocal(args[0], args[1]))
    result = function(*tree_map(_bare, args), **tree_map(_bare, kwargs))
    if name == "_pack_padded_sequence":  # lengths stay on the CPU
        return GpuTensor(result[0], place), result[1]
    if function._schema.is_mutable:
        return _written(function, args, kwargs, result)
    if place is None:
        return result
    return tree_map(lambda t: GpuTensor(t, place) if isinstance(t, torch.Tensor) else t, result)


# What CUDA's kernels of quotients by numbers are, which round twice; halves go through float32.
_PRODUCTS = {"div": torch.ops.aten.mul.Tensor, "div_": torch.ops.aten.mul_.Tensor}


def _reciprocal(data, number):
    one = torch.ones((), dtype=torch.promote_types(data.dtype, torch.float32))
    return float(one / number)


def _place_of_results(given, device):
    """The GPU on which results are, or None."""
    if device is None:
        return given[0].place if given else None
    device = torch.device(device)
    if device.type == "cuda":
        return torch.device("cuda", device.index or 0)
    if device.type == GpuTensor.under:  # what ATen's gradients make beside such tensors
        return given[0].place if given else CUDA
    return None


def _has_to_wait(function, name, args, kwargs, place, given):
    if not given:
        return name == "_to_copy" and place is not None and not kwargs.get("non_blocking")
    if name in ("_to_copy", "copy_"):
        return place is None or not all(isinstance(t, GpuTensor) for t in _tensors(args))
    if name in ("index", "index_put_", "index_put", "_index_put_impl_"):
        return any(
            t is not None and (t.dtype in (torch.bool, torch.uint8) or not isinstance(t, GpuTensor))
            for t in args[1]
        )
    return name in WAITS or f"{name}.{function._overloadname}" in WAITS


def _written(function, args, kwargs, result):
    """The results of an operator that writes: the tensors that it was given, not others."""
    arguments = function._schema.arguments
    written = [
        kwargs.get(a.name, args[i] if i < len(args) else None)
        for i, a in enumerate(arguments)
        if a.alias_info is not None and a.alias_info.is_write
    ]
    for t in _tensors(written):
        now = getattr(t, "values_on_cpu", t)
        if (t.shape, t.stride()) != (now.shape, now.stride()):
            t.data = GpuTensor(now, t.place)
    if isinstance(result, torch.Tensor):
        return next(_tensors(written))
    if isinstance(result, tuple):
        return tuple(_tensors(written))
    return result


def _bare(value):
    if isinstance(value, GpuTensor):
        return value.values_on_cpu
    is_here = isinstance(value, torch.device) and value.type in ("cuda", GpuTensor.under)
    return torch.device("cpu") if is_here else value


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for v in value:
            yield from _tensors(v)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _check(function, name, args, kwargs, given):
    others = [t for t in _tensors((args, kwargs)) if not isinstance(t, GpuTensor)]
    if name not in ("copy_", "_to_copy") and len({t.place for t in given}) > 1:
        raise GpuError(f"{name}: found two devices, both of them GPUs")
    if name not in TAKES_INDICES and any(t.ndim for t in others):
        raise GpuError(f"{name}: expected all tensors to be on the same device")
    if not function._schema.name.startswith("aten::"):
        raise GpuError(f"{function}: no kernel for CUDA")
    if not _has_kernel(function._schema.name, function._overloadname):
        raise GpuError(f"{function}: no kernel for CUDA")
    if name in FAULTS and FAULTS[name](args):
        raise GpuError(f"{name}: CUDA's is wrong here")
    if name in REAL_ONLY and not (given[0].is_floating_point() or given[0].is_complex()):
        raise GpuError(f"{name}: no kernel for {given[0].dtype} on CUDA")


@cache
def _kernels():
    """Where each operator of ATen has kernels, and to which one those without refer."""
    path = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
    blocks = re.split(r"^- func: ", path.read_text(), flags=re.M)[1:]
    found = {}
    for block in blocks:
        name = block[: block.index("(")]
        refers = re.search(r"^  structured_delegate: (\S+)", block, re.M)
        lists = re.search(r"^  dispatch:\n((?:    .*\n)+)", block, re.M)
        keys = re.findall(r"^    ([\w, ]+):", lists[1], re.M) if lists else []
        found[name] = refers[1] if refers else {k.strip() for line in keys for k in line.split(",")}
    return found


@cache
def _has_kernel(name, overload):
    name = name.removeprefix("aten::")
    full = f"{name}.{overload}" if overload else name
    known = _kernels().get(full)
    if isinstance(known, str):
        known = _kernels()[known]
    return not known or any(
        k == "CUDA" or k.startswith("Composite") or k == "SparseCUDA" for k in known
    )


def _line():
    """The line of mxnova that is running."""
    frame = sys._getframe(2)
    while frame is not None and "mxnova" not in frame.f_globals.get("__name__", ""):
        frame = frame.f_back
    return "?" if frame is None else f"{frame.f_globals['__name__']}:{frame.f_lineno}"
