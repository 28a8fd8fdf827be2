# SPDX-License-Identifier: Apache-2.0
"""DataParallelExecutorGroup: executors of one symbol, each with its part of every batch."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import ndarray as nd
from ..context import Context
from ..core.base.errors import (
    ArgumentError,
    AssertedError,
    UnknownNameError,
    candidates,
    shown,
)
from ..executor_manager import (
    _load_data,
    _load_general,
    _load_label,
    _mean,
    _sliced,
    _split_input_slice,
)
from ..io import DataDesc
from ..io.batch import described
from ..symbol import Symbol

__all__ = ["DataParallelExecutorGroup"]

NDArray = nd.NDArray
Placed = list[tuple[slice, NDArray]]  # for each device: which samples are its, and where they go


class DataParallelExecutorGroup:
    """Executors of a symbol on several devices, which share the samples of each batch.

    Args:
        symbol: what to compute.
        contexts: the devices.
        workload: for each device, its share.
        data_shapes: descriptions of the data.
        label_shapes: descriptions of the labels, or None.
        param_names: arguments that are parameters.
        for_training: whether gradients are wanted.
        inputs_need_grad: whether those of the data are, too.
        shared_group: a group whose memory this one uses; parameters are the same arrays.
        logger: not used.
        fixed_param_names: parameters that do not learn.
        grad_req: null, write or add: one, or for each argument, by name or in order.
        state_names: arguments that are states, which `set_states` sets.
        group2ctxs: contexts of groups of nodes: a dict for each device, or one.

    Attributes:
        execs: the executors.
        slices: which samples each has.
        batch_size: samples of all of them.
        data_arrays: for each data, for each executor, (slice, array).
        label_arrays: likewise for labels, None without.
        state_arrays: for each state, its arrays.
        param_arrays: for each parameter, its arrays.
        grad_arrays: for each parameter, its gradients, None for those that do not learn.
        aux_arrays: for each auxiliary state, its arrays.
        input_grad_arrays: for each data, its gradients, None unless they are wanted.
        shared_data_arrays: for each device, memory of data, labels and states by name.
    """

    def __init__(
        self,
        symbol: Symbol,
        contexts: Sequence[Context],
        workload: Sequence[float],
        data_shapes: Sequence[Any],
        label_shapes: Sequence[Any] | None,
        param_names: Sequence[str],
        for_training: bool,
        inputs_need_grad: bool,
        shared_group: DataParallelExecutorGroup | None = None,
        logger: Any = logging,
        fixed_param_names: Sequence[str] | None = None,
        grad_req: Any = "write",
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
    ) -> None:
        self.symbol = symbol
        self.contexts = list(contexts)
        self.workload = workload
        self.group2ctxs = _prepare_group2ctxs(group2ctxs, len(self.contexts))
        self.param_names = list(param_names)
        self.arg_names = symbol.list_arguments()
        self.aux_names = symbol.list_auxiliary_states()
        self.fixed_param_names = list(fixed_param_names or [])
        self.state_names = list(state_names or [])
        self.for_training = for_training
        self.inputs_need_grad = inputs_need_grad
        self.logger = logger
        self._total_exec_bytes = 0
        self.grad_req = self._requests(grad_req, [desc[0] for desc in data_shapes])
        self.output_names = symbol.list_outputs()
        self.num_outputs = len(self.output_names)
        self.output_layouts = [
            DataDesc.get_batch_axis(symbol[name].attr("__layout__")) for name in self.output_names
        ]
        if shared_group is not None:
            self.shared_data_arrays: list[dict[str, NDArray]] = shared_group.shared_data_arrays
        else:
            self.shared_data_arrays = [{} for _ in self.contexts]
        self.batch_size = 0
        self.slices: list[slice] = []
        self.execs: list[Any] = []
        self._default_execs: list[Any] | None = None
        self.bind_exec(data_shapes, label_shapes, shared_group)

    def _requests(self, grad_req: Any, data_names: Sequence[str]) -> dict[str, str]:
        """null, write or add for each argument."""
        if isinstance(grad_req, (list, tuple)):
            if len(grad_req) != len(self.arg_names):
                text = f"grad_req={shown(grad_req)}: must be one for each of {self.arg_names}"
                raise AssertedError(f"bind: {text}")
            asked = dict(zip(self.arg_names, grad_req, strict=True))
        elif isinstance(grad_req, (str, Mapping)):
            default = grad_req if isinstance(grad_req, str) else "write"
            learn = set(self.param_names) - set(self.fixed_param_names)
            if self.inputs_need_grad:
                learn.update(data_names)
            asked = {name: default if name in learn else "null" for name in self.arg_names}
            asked.update({} if isinstance(grad_req, str) else grad_req)
        else:
            text = f"grad_req={shown(grad_req)}: must be a str, a list or a dict"
            raise ArgumentError(f"bind: {text}")
        return asked if self.for_training else dict.fromkeys(asked, "null")

    # Binding -------------------------------------------------------------------------------------

    def decide_slices(self, data_shapes: Sequence[Any]) -> list[int]:
        """Splits a batch among the devices.

        Args:
            data_shapes: descriptions of arrays in the batch.

        Returns:
            For each array the axis of samples, -1 where it has none.

        Raises:
            AssertedError: the arrays have different numbers of samples.
        """
        layouts = [DataDesc.get_batch_axis(getattr(d, "layout", "NCHW")) for d in data_shapes]
        for desc, axis in zip(data_shapes, layouts, strict=True):
            if axis < 0:
                continue
            size = desc[1][axis]
            if self.batch_size and size != self.batch_size:
                text = f"{desc[0]} has shape {desc[1]}, others have {self.batch_size} samples"
                raise AssertedError(f"bind: arrays of a batch differ: {text}")
            if not self.batch_size:
                self.slices = _split_input_slice(size, self.workload)
                self.batch_size = size
        return layouts

    def bind_exec(
        self,
        data_shapes: Sequence[Any],
        label_shapes: Sequence[Any] | None,
        shared_group: DataParallelExecutorGroup | None = None,
        reshape: bool = False,
    ) -> None:
        """Create the executors.

        Args:
            data_shapes: descriptions of the data.
            label_shapes: descriptions of the labels, or None.
            shared_group: a group whose memory they use.
            reshape: whether they share the arrays of the executors that were made first.
        """
        self.batch_size = 0
        self.data_layouts = self.decide_slices(data_shapes)
        self.label_layouts = self.decide_slices(label_shapes or ())
        layouts = self.data_layouts + self.label_layouts
        descs = [*data_shapes, *(label_shapes or ())]
        execs = []
        for i in range(len(self.contexts)):
            parts = self._sliced_shape(descs, i, layouts)
            if reshape and self._default_execs is not None:
                shapes = {desc.name: desc.shape for desc in parts}
                execs.append(self._default_execs[i].reshape(allow_up_sizing=True, **shapes))
            else:
                n = len(data_shapes)
                execs.append(self._bind_ith_exec(i, parts[:n], parts[n:], shared_group))
        self.execs = execs
        self.data_shapes = list(data_shapes)
        self.label_shapes = None if label_shapes is None else list(label_shapes)
        self.data_names = [desc[0] for desc in self.data_shapes]
        self.label_names = [desc[0] for desc in self.label_shapes or ()]
        self._collect_arrays()

    def _sliced_shape(
        self, shapes: Iterable[Any], i: int, major_axis: Sequence[int]
    ) -> list[DataDesc]:
        """Descriptions of the part of device `i`."""
        found = []
        for desc, axis in zip(map(described, shapes), major_axis, strict=True):
            shape = list(desc.shape)
            if axis >= 0:
                shape[axis] = self.slices[i].stop - self.slices[i].start
            found.append(DataDesc(desc.name, tuple(shape), desc.dtype, desc.layout))
        return found

    def _bind_ith_exec(
        self,
        i: int,
        data_shapes: Sequence[DataDesc],
        label_shapes: Sequence[DataDesc] | None,
        shared_group: DataParallelExecutorGroup | None,
    ) -> Any:
        """The executor of device `i`."""
        descs = [*data_shapes, *(label_shapes or ())]
        return self.symbol.simple_bind(
            self.contexts[i],
            grad_req=self.grad_req,
            type_dict={desc.name: desc.dtype for desc in descs},
            group2ctx=self.group2ctxs[i],
            shared_arg_names=self.param_names,
            shared_exec=None if shared_group is None else shared_group.execs[i],
            shared_buffer=self.shared_data_arrays[i],
            **{desc.name: desc.shape for desc in descs},
        )

    def _collect_arrays(self) -> None:
        """Finds the executors' arrays by what they are for."""
        execs = self.execs
        self.data_arrays = self._placed("data", self.data_names)
        self.label_arrays = (
            None if self.label_shapes is None else self._placed("label", self.label_names)
        )
        self.param_arrays = [[e.arg_dict[n] for e in execs] for n in self._own_params()]
        self.grad_arrays = [[e.grad_dict[n] for e in execs] for n in self._own_params()]
        self.state_arrays = [[e.arg_dict[n] for e in execs] for n in self.state_names]
        self.aux_arrays = [[e.aux_dict[n] for e in execs] for n in self.aux_names]
        self.input_grad_arrays = None
        if self.inputs_need_grad:
            self.input_grad_arrays = [[e.grad_dict[n] for e in execs] for n in self.data_names]

    def _own_params(self) -> list[str]:
        """Parameters that the symbol has."""
        arguments = set(self.arg_names)
        return [name for name in self.param_names if name in arguments]

    def _placed(self, kind: str, names: Sequence[str]) -> list[Placed]:
        for name in names:
            if name not in self.execs[0].arg_dict:
                raise UnknownNameError(
                    f"bind: {kind}_shapes names {name!r}; the symbol has "
                    f"{', '.join(self.arg_names)}: {kind}_names= of the module and {kind}_shapes "
                    f"must name inputs of it{candidates(name, self.arg_names)}"
                )
        return [
            [(part, e.arg_dict[name]) for part, e in zip(self.slices, self.execs, strict=True)]
            for name in names
        ]

    def reshape(self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None) -> None:
        """Change the batch shape; parameters and gradients stay the same arrays."""
        labels = None if label_shapes is None else list(label_shapes)
        if (list(data_shapes), labels) == (self.data_shapes, self.label_shapes):
            return
        if self._default_execs is None:
            self._default_execs = list(self.execs)
        self.bind_exec(data_shapes, label_shapes, reshape=True)

    # Parameters and states -----------------------------------------------------------------------

    def set_params(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None,
        allow_extra: bool = False,
    ) -> None:
        """Copies parameters and auxiliary states to every device.

        Raises:
            ArgumentError: there is none of such a name, unless `allow_extra`.
        """
        for executor in self.execs:
            executor.copy_params_from(arg_params, aux_params, allow_extra_params=allow_extra)

    def get_params(
        self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
    ) -> None:
        """Copies parameters and auxiliary states, averaged over the devices, into arrays."""
        for names, blocks, targets in (
            (self._own_params(), self.param_arrays, arg_params),
            (self.aux_names, self.aux_arrays, aux_params),
        ):
            for name, arrays in zip(names, blocks, strict=True):
                _mean(arrays, targets[name].dtype).copyto(targets[name])

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The states: for each, its array on every device.

        Raises:
            AssertedError: `merge_multi_context`, which has no meaning for states.
        """
        if merge_multi_context:
            text = "merge_multi_context=True: states of several devices are not merged"
            raise AssertedError(f"get_states: {text}")
        return self.state_arrays

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Sets the states.

        Args:
            states: for each, its values on every device, as `get_states` and `get_outputs` give
                them.
            value: a number for all, instead.
        """
        if (states is None) == (value is None):
            raise AssertedError("set_states: one of states and value must be given, not both")
        if states is not None:
            _load_general(states, self.state_arrays, [0] * len(self.state_arrays))
            return
        for arrays in self.state_arrays:
            for array in arrays:
                array[:] = value

    # Running -------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs for a batch.

        Args:
            data_batch: the batch, or a list with one for each device.
            is_train: whether as in training; default: `for_training`.
        """
        _load_data(data_batch, self.data_arrays, self.data_layouts)
        if self.label_arrays is not None and _labels_of(data_batch):
            _load_label(data_batch, self.label_arrays, self.label_layouts)
        train = self.for_training if is_train is None else is_train
        for executor in self.execs:
            executor.forward(is_train=train)

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradients.

        Args:
            out_grads: gradients of the outputs: an array, or a list of them, over all samples;
                of larger ones the first samples are read.

        Raises:
            AssertedError: it is not bound for training.
        """
        if not self.for_training:
            raise AssertedError("backward: bound with for_training=False; bind again for gradients")
        if out_grads is None:
            for executor in self.execs:
                executor.backward()
            return
        if isinstance(out_grads, NDArray):
            out_grads = [out_grads]
        for i, executor in enumerate(self.execs):
            executor.backward(
                [
                    self._part(i, grad, axis)
                    for grad, axis in zip(out_grads, self.output_layouts, strict=False)
                ]
            )

    def _part(self, i: int, grad: NDArray, axis: int) -> NDArray:
        """The part of device `i`, on it."""
        is_one = len(self.execs) == 1 and grad.shape[axis] == self.batch_size
        whole = axis < 0 or is_one
        part = grad if whole else _sliced(grad, self.slices[i], axis)
        return part.as_in_context(self.contexts[i])

    def get_outputs(
        self, merge_multi_context: bool = True, begin: int = 0, end: int | None = None
    ) -> list[Any]:
        """The outputs of the last forward.

        Args:
            merge_multi_context: whether the devices' are put together; else each is a list.
            begin: the first one that is wanted.
            end: that after the last one.
        """
        chosen = range(self.num_outputs)[begin:end]
        outputs = [[e.outputs[i] for e in self.execs] for i in chosen]
        if not merge_multi_context:
            return outputs
        return _merge_multi_context(outputs, [self.output_layouts[i] for i in chosen])

    def get_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs, over all samples."""
        found = []
        triples = zip(self.output_names, self.execs[0].outputs, self.output_layouts, strict=True)
        for name, output, axis in triples:
            shape = list(output.shape)
            if axis >= 0:
                shape[axis] = self.batch_size
            found.append((name, tuple(shape)))
        return found

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Gradients of the data.

        Raises:
            AssertedError: they were not asked for.
        """
        if self.input_grad_arrays is None:
            raise AssertedError("get_input_grads: bound with inputs_need_grad=False")
        if merge_multi_context:
            return _merge_multi_context(self.input_grad_arrays, self.data_layouts)
        return self.input_grad_arrays

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool) -> None:
        """Has a metric take labels and outputs.

        Args:
            eval_metric: the metric.
            labels: of the batch; for each device, where `pre_sliced`.
            pre_sliced: whether labels are split already.
        """
        for i, executor in enumerate(self.execs):
            mine = labels[i] if pre_sliced else self._labels_of_device(i, labels)
            predictions = zip(self.output_names, executor.outputs, strict=True)
            eval_metric.update_dict(
                dict(zip(self.label_names, mine, strict=False)), dict(predictions)
            )

    def _labels_of_device(self, i: int, labels: Any) -> Any:
        if len(self.execs) == 1:
            return labels or ()
        pairs = zip(labels or (), self.label_layouts, strict=False)
        return [a if axis < 0 else _sliced(a, self.slices[i], axis) for a, axis in pairs]

    def install_monitor(self, mon: Any) -> None:
        """Has a monitor watch every executor."""
        for executor in self.execs:
            mon.install(executor)


def _prepare_group2ctxs(group2ctxs: Any, ctx_len: int) -> list[dict[str, Context] | None]:
    """Contexts of groups of nodes, for each device.

    Args:
        group2ctxs: None; a dict for each device; or one dict, of contexts or lists of such.
        ctx_len: how many devices there are.
    """
    if group2ctxs is None:
        return [None] * ctx_len
    if isinstance(group2ctxs, list):
        if len(group2ctxs) != ctx_len:
            raise AssertedError(f"group2ctxs={shown(group2ctxs)}: must hold {ctx_len} dicts")
        return group2ctxs
    if not isinstance(group2ctxs, dict):
        text = "must be a dict of contexts by group, or a list of such"
        raise AssertedError(f"group2ctxs={shown(group2ctxs)}: {text}")
    found: list[dict[str, Context] | None] = [{} for _ in range(ctx_len)]
    for group, contexts in group2ctxs.items():
        listed = [contexts] if isinstance(contexts, Context) else list(contexts)
        if len(listed) not in (1, ctx_len):
            text = f"must be one context, or one for each of {ctx_len} devices"
            raise AssertedError(f"group2ctxs[{group!r}]={shown(contexts)}: {text}")
        for i, by_name in enumerate(found):
            by_name[group] = listed[i % len(listed)]  # type: ignore[index]
    return found


def _labels_of(batch: Any) -> Any:
    """Labels of a batch, or of the first of a list; batches of others may have none."""
    first = batch[0] if isinstance(batch, list) else batch
    return getattr(first, "label", None)


def _merge_multi_context(outputs: Sequence[Any], major_axis: Sequence[int]) -> list[NDArray]:
    """For each output the devices' parts put together along an axis; the first one for axis -1."""
    return [
        parts[0] if axis < 0 or len(parts) == 1 else _joined(parts, axis)
        for parts, axis in zip(outputs, major_axis, strict=True)
    ]


def _joined(parts: Sequence[NDArray], axis: int) -> NDArray:
    context = parts[0].context
    joined: NDArray = nd.concat(*(part.as_in_context(context) for part in parts), dim=axis)
    return joined
