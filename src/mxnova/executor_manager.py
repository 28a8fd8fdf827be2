# SPDX-License-Identifier: Apache-2.0
"""Executors of one symbol on several devices, each with its part of every batch.

`FeedForward` trains with these; `module.executor_group` is what came after them.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, cast

from . import ndarray as nd
from .context import Context, cpu
from .core.base.errors import ArgumentError, AssertedError, shown
from .symbol import Symbol

__all__ = ["DataParallelExecutorGroup", "DataParallelExecutorManager"]

NDArray = nd.NDArray
Params = Mapping[str, NDArray]
Placed = list[tuple[slice, NDArray]]  # for each device: which samples are its, and where they go


def _split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """The part of a batch for each device, in proportion to its work load.

    Args:
        batch_size: samples in the batch.
        work_load_list: a number for each device; what rounding leaves over is the last one's.

    Raises:
        ArgumentError: a device would get nothing.
    """
    total = sum(work_load_list)
    sizes = [round(load * batch_size / total) for load in work_load_list]
    sizes[-1] += max(0, batch_size - sum(sizes))
    bounds = [min(bound, batch_size) for bound in accumulate(sizes, initial=0)]
    slices = [slice(begin, end) for begin, end in pairwise(bounds)]
    if any(part.start >= part.stop for part in slices):
        text = f"{batch_size} samples for work loads {list(work_load_list)}: a device gets none"
        raise ArgumentError(f"_split_input_slice: {text}")
    return slices


def _check_arguments(symbol: Symbol) -> None:
    """Raises if arguments or auxiliary states of a symbol have the same name."""
    for kind, names in (
        ("arguments", symbol.list_arguments()),
        ("auxiliary states", symbol.list_auxiliary_states()),
    ):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ArgumentError(f"the symbol has several {kind} named {twice[0]!r}")


# Loading batches ----------------------------------------------------------------------------------


def _load_data(batch: Any, targets: Sequence[Any], major_axis: Sequence[int] | None = None) -> None:
    """Copies the data of a batch to its places."""
    _load_general(_gathered(batch, "data"), targets, major_axis)


def _load_label(
    batch: Any, targets: Sequence[Any], major_axis: Sequence[int] | None = None
) -> None:
    """Copies the labels of a batch to their places."""
    _load_general(_gathered(batch, "label"), targets, major_axis)


def _gathered(batch: Any, attribute: str) -> Sequence[Any]:
    """Arrays of a batch; of a list of batches, for each array the list of its parts."""
    if not isinstance(batch, list):
        return getattr(batch, attribute)  # type: ignore[no-any-return]
    return [list(parts) for parts in zip(*(getattr(b, attribute) for b in batch), strict=True)]


def _load_general(
    data: Sequence[Any], targets: Sequence[Any], major_axis: Sequence[int] | None = None
) -> None:
    """Copies arrays to their places.

    Args:
        data: arrays, or lists with an array for each device.
        targets: for each, where it goes: an array, a list of arrays, or of (slice, array).
        major_axis: for each, the axis of samples; -1: everything goes everywhere. Default: 0.
    """
    axes = major_axis or [0] * len(targets)
    for source, places, axis in zip(data, targets, axes, strict=False):
        if isinstance(places, NDArray):
            _copy(source, places)
            continue
        for i, place in enumerate(places):
            part, target = place if isinstance(place, tuple) else (None, place)
            if isinstance(source, (list, tuple)):
                _copy(source[i], target)
            elif part is None or axis < 0 or len(places) == 1:
                _copy(source, target)
            else:
                _copy(_sliced(source, part, axis), target)


def _copy(source: Any, target: NDArray) -> None:
    if isinstance(source, NDArray):
        source.copyto(target)
    else:
        nd.array(source, dtype=target.dtype).copyto(target)


def _sliced(array: NDArray, part: slice, axis: int) -> NDArray:
    """Samples of an array along an axis."""
    if axis == 0:
        return array[part]
    samples: NDArray = nd.slice_axis(array, axis=axis, begin=part.start, end=part.stop)
    return samples


# Executors ----------------------------------------------------------------------------------------


def _bind_exec(
    sym: Symbol,
    ctx: Context,
    input_shapes: Mapping[str, tuple[int, ...]],
    param_names: Sequence[str],
    need_grad: bool | Collection[str] = False,
    base_exec: Any = None,
    shared_data_arrays: dict[str, NDArray] | None = None,
    input_types: Mapping[str, Any] | None = None,
    logger: Any = logging,
) -> Any:
    """An executor for inputs of given shapes.

    Args:
        sym: what to compute.
        ctx: where.
        input_shapes: shapes of the inputs, by name.
        param_names: arguments that are parameters.
        need_grad: which arguments have gradients: True: the parameters.
        base_exec: an executor whose parameters are this one's.
        shared_data_arrays: memory of inputs by name, which it uses and adds to.
        input_types: element types of the inputs, by name.
        logger: not used.
    """
    learn = (param_names if need_grad else ()) if isinstance(need_grad, bool) else need_grad
    requests = {name: "write" if name in learn else "null" for name in sym.list_arguments()}
    if base_exec is not None and shared_data_arrays is None:
        shared_data_arrays = {}
    return sym.simple_bind(
        ctx,
        grad_req=requests,
        type_dict=input_types,
        shared_arg_names=param_names,
        shared_exec=base_exec,
        shared_buffer=shared_data_arrays,
        **input_shapes,
    )


class DataParallelExecutorGroup:
    """Executors of a symbol on several devices.

    Args:
        sym: what to compute.
        arg_names: its arguments.
        param_names: those that are parameters.
        ctx: the devices.
        slices: which samples of a batch each has.
        train_data: iterator with the descriptions of data and labels.
        shared_group: a group whose parameters and memory this one uses.

    Attributes:
        train_execs: the executors.
        data_arrays: for each data, for each executor, (slice, array); so are `label_arrays`.
        param_arrays: for each parameter, its arrays; so are `grad_arrays` and `aux_arrays`.
    """

    def __init__(
        self,
        sym: Symbol,
        arg_names: Sequence[str],
        param_names: Sequence[str],
        ctx: Sequence[Context],
        slices: Sequence[slice],
        train_data: Any,
        shared_group: DataParallelExecutorGroup | None = None,
    ) -> None:
        _check_arguments(sym)
        self.slices = slices
        if shared_group is None:
            self.shared_data_arrays: list[dict[str, NDArray]] = [{} for _ in ctx]
        else:
            self.shared_data_arrays = shared_group.shared_data_arrays
        self.data_names = [desc[0] for desc in train_data.provide_data]
        self.label_names = [desc[0] for desc in train_data.provide_label]
        self.aux_names = sym.list_auxiliary_states()
        self.param_idx = [i for i, name in enumerate(arg_names) if name in param_names]
        self.param_names = [arg_names[i] for i in self.param_idx]
        descs = [*train_data.provide_data, *train_data.provide_label]
        self.train_execs: list[Any] = [
            _bind_exec(
                sym,
                context,
                {desc[0]: (part.stop - part.start, *desc[1][1:]) for desc in descs},
                self.param_names,
                need_grad=True,
                base_exec=None if shared_group is None else shared_group.train_execs[i],
                shared_data_arrays=self.shared_data_arrays[i],
                input_types={d[0]: d.dtype for d in descs if hasattr(d, "dtype")},
            )
            for i, (context, part) in enumerate(zip(ctx, slices, strict=True))
        ]
        execs = self.train_execs
        self.data_arrays = [self._placed(name) for name in self.data_names]
        self.label_arrays = [self._placed(name) for name in self.label_names]
        self.param_arrays = [[e.arg_dict[name] for e in execs] for name in self.param_names]
        self.grad_arrays = [[e.grad_dict[name] for e in execs] for name in self.param_names]
        self.aux_arrays = [[e.aux_dict[name] for e in execs] for name in self.aux_names]

    def _placed(self, name: str) -> Placed:
        pairs = zip(self.slices, self.train_execs, strict=True)
        return [(part, executor.arg_dict[name]) for part, executor in pairs]

    def load_data_batch(self, data_batch: Any) -> None:
        """Copies data and labels of a batch to the devices."""
        _load_data(data_batch, self.data_arrays)
        _load_label(data_batch, self.label_arrays)

    def forward(self, is_train: bool = False) -> None:
        """Computes the outputs."""
        for executor in self.train_execs:
            executor.forward(is_train=is_train)

    def backward(self) -> None:
        """Computes the gradients."""
        for executor in self.train_execs:
            executor.backward()

    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Has a metric take labels, split already where `pre_sliced`, and outputs."""
        for i, (executor, part) in enumerate(zip(self.train_execs, self.slices, strict=True)):
            mine = labels[i] if pre_sliced else [label[part] for label in labels]
            metric.update(mine, executor.outputs)


class DataParallelExecutorManager:
    """Executors on several devices, for each bucket where there are buckets.

    Args:
        symbol: what to compute.
        ctx: the devices.
        train_data: iterator with the descriptions of data and labels.
        arg_names: the symbol's arguments.
        param_names: those that are parameters.
        aux_names: its auxiliary states.
        work_load_list: for each device, its share.
        logger: what tells of the start.
        sym_gen: gives for the key of a bucket its symbol.
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Sequence[Context],
        train_data: Any,
        arg_names: Sequence[str],
        param_names: Sequence[str],
        aux_names: Sequence[str],
        work_load_list: Sequence[float] | None = None,
        logger: Any = None,
        sym_gen: Callable[[Any], Symbol] | None = None,
    ) -> None:
        (logger or logging).info("Training on %s", ", ".join(map(str, ctx)))
        loads = work_load_list or [1] * len(ctx)
        if len(loads) != len(ctx):
            text = f"must hold a number for each of {len(ctx)} devices"
            raise AssertedError(f"work_load_list={shown(work_load_list)}: {text}")
        self.slices = _split_input_slice(train_data.batch_size, loads)
        self.arg_names = arg_names
        self.param_names = param_names
        self.aux_names = aux_names
        self.ctx = ctx
        self.symbol = symbol
        self.sym_gen = sym_gen
        self.execgrp = self._group(symbol, train_data)
        self.curr_execgrp: Any = None
        if sym_gen is not None:
            self.execgrp_bucket = {train_data.default_bucket_key: self.execgrp}

    def _group(self, symbol: Symbol, described: Any, shared: Any = None) -> Any:
        arguments = symbol.list_arguments()
        names, devices = self.param_names, self.ctx
        return DataParallelExecutorGroup(
            symbol, arguments, names, devices, self.slices, described, shared
        )

    def install_monitor(self, monitor: Any) -> None:
        """Has a `Monitor` watch every executor.

        Raises:
            NotImplementedError: there are buckets.
        """
        if self.sym_gen is not None:
            raise NotImplementedError("install_monitor: not for buckets")
        for executor in self.execgrp.train_execs:
            monitor.install(executor)

    def set_params(self, arg_params: Params, aux_params: Params) -> None:
        """Copies parameters and auxiliary states to every device."""
        for executor in self.execgrp.train_execs:
            executor.copy_params_from(arg_params, aux_params)

    def copy_to(self, arg_params: Params, aux_params: Params) -> None:
        """Copies parameters and auxiliary states, averaged over the devices, into arrays."""
        for names, blocks, targets in (
            (self.execgrp.param_names, self.param_arrays, arg_params),
            (self.aux_names, self.aux_arrays, aux_params),
        ):
            for name, arrays in zip(names, blocks, strict=True):
                _mean(arrays, targets[name].dtype).copyto(targets[name])

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """For each parameter, its arrays; the same for all buckets."""
        return self.execgrp.param_arrays  # type: ignore[no-any-return]

    @property
    def grad_arrays(self) -> list[list[NDArray]]:
        """For each parameter, its gradients; the same for all buckets."""
        return self.execgrp.grad_arrays  # type: ignore[no-any-return]

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """For each auxiliary state, its arrays."""
        return self.execgrp.aux_arrays  # type: ignore[no-any-return]

    def load_data_batch(self, data_batch: Any) -> None:
        """Copies data and labels of a batch to the devices, in its bucket."""
        self.curr_execgrp = self.execgrp
        if self.sym_gen is not None:
            key = data_batch.bucket_key
            if key not in self.execgrp_bucket:
                group = self._group(self.sym_gen(key), data_batch, self.execgrp)
                self.execgrp_bucket[key] = group
            self.curr_execgrp = self.execgrp_bucket[key]
        self.curr_execgrp.load_data_batch(data_batch)

    def forward(self, is_train: bool = False) -> None:
        """Computes the outputs for the batch."""
        self.curr_execgrp.forward(is_train=is_train)

    def backward(self) -> None:
        """Computes the gradients for the batch."""
        self.curr_execgrp.backward()

    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Has a metric take labels, split already where `pre_sliced`, and outputs."""
        self.curr_execgrp.update_metric(metric, labels, pre_sliced)


def _mean(arrays: Sequence[NDArray], dtype: Any) -> NDArray:
    """The mean of arrays of several devices, on the CPU."""
    total: Any = arrays[0].copyto(cpu())
    for array in arrays[1:]:
        total = total + array.as_in_context(cpu())
    mean = total / len(arrays) if len(arrays) > 1 else total
    return cast(NDArray, mean.astype(dtype, copy=False))
