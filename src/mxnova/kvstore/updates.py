# SPDX-License-Identifier: Apache-2.0
"""Steps of training with a store, over lists of parameters with an array for each device.

A parameter's arrays stand in the order of the devices, and so do its gradients; a gradient is None
where there is none. Stores have parameters by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import optimizer as opt
from ..core.nd.array import NDArray
from .choice import dense_store, sparse_store
from .interface import KVStoreBase
from .kvstore import KVStore

__all__ = [
    "create_kvstore",
    "create_optimizer",
    "create_sparse_kvstore",
    "initialize_kvstore",
    "total_batch_size",
    "update_params",
    "update_params_on_kvstore",
]

Arrays = Sequence[Sequence[Any]]


def create_kvstore(
    kvstore: Any, num_device: int, arg_params: Mapping[str, NDArray]
) -> tuple[KVStoreBase | None, bool]:
    """The store for parameters, None where none is needed, and whether it is to update them.

    Args:
        kvstore: a store, the name of one, or None.
        num_device: how many devices have copies of the parameters.
        arg_params: the parameters by name.
    """
    return dense_store(kvstore, num_device, [array.shape for array in arg_params.values()])


def create_sparse_kvstore(kvstore: Any) -> tuple[KVStoreBase, bool]:
    """The store for parameters some of which are stored sparse, and that it is to update them."""
    return sparse_store(kvstore), True


def total_batch_size(batch_size: int, kvstore: Any) -> int:
    """Samples in a batch, of all workers of a store that adds up their gradients."""
    if kvstore is not None and "dist" in kvstore.type and "_async" not in kvstore.type:
        return batch_size * int(kvstore.num_workers)
    return batch_size


def create_optimizer(
    optimizer: Any,
    options: Mapping[str, Any],
    param_names: Sequence[str],
    batch_size: int,
    num_device: int,
    update_on_kvstore: bool,
) -> Any:
    """An optimizer that knows the parameters' names.

    Args:
        optimizer: an optimizer, or the name of one, which divides gradients by `batch_size`.
        options: arguments of an optimizer that is given by name.
        param_names: of the parameters.
        batch_size: samples in a batch; see `total_batch_size`.
        num_device: how many devices have copies of the parameters.
        update_on_kvstore: whether a store updates them, which has one copy.
    """
    copies = 1 if update_on_kvstore else num_device
    names = {i * copies + k: name for i, name in enumerate(param_names) for k in range(copies)}
    if isinstance(optimizer, str):
        given = {"rescale_grad": 1.0 / batch_size, **options, "param_idx2name": names}
        return opt.create(optimizer, **given)
    if not optimizer.idx2name:
        optimizer.idx2name = names
    return optimizer


def initialize_kvstore(
    kvstore: Any,
    param_arrays: Arrays,
    arg_params: Mapping[str, NDArray],
    param_names: Sequence[str],
    update_on_kvstore: bool,
) -> None:
    """Gives a store the parameters, and the devices what the store has then.

    Args:
        kvstore: the store.
        param_arrays: of the devices.
        arg_params: the values, by name.
        param_names: of the parameters, in the order of `param_arrays`.
        update_on_kvstore: whether the store updates the parameters.
    """
    for position, (name, arrays) in enumerate(zip(param_names, param_arrays, strict=True)):
        value = arg_params[name]
        if value.stype != "default":
            kvstore.init(name, value)
        else:
            kvstore.broadcast(name, value, out=arrays)
        if update_on_kvstore and hasattr(kvstore, "pull"):
            kvstore.pull(name, arrays, priority=-position)


def _learning(
    param_arrays: Arrays, grad_arrays: Arrays
) -> Iterator[tuple[int, Sequence[NDArray], Sequence[NDArray]]]:
    """Position, arrays and gradients of each parameter that has gradients."""
    for position, (arrays, grads) in enumerate(zip(param_arrays, grad_arrays, strict=True)):
        if grads[0] is not None:
            yield position, arrays, grads


def update_params_on_kvstore(
    param_arrays: Arrays, grad_arrays: Arrays, kvstore: Any, param_names: Sequence[str]
) -> None:
    """Has the store update the parameters, and copies them to the devices.

    Args:
        param_arrays: of the devices.
        grad_arrays: their gradients.
        kvstore: the store.
        param_names: of the parameters.
    """
    names, pushed, pulled = [], [], []
    for position, arrays, grads in _learning(param_arrays, grad_arrays):
        name = param_names[position]
        if _are_dense(arrays, grads):
            names.append(name)
            pushed.append(list(grads))
            pulled.append(list(arrays))
        else:
            kvstore.push(name, list(grads), priority=-position)
            kvstore.pull(name, list(arrays), priority=-position)
    if isinstance(kvstore, KVStore):  # at once: sums are on their way before updates begin
        kvstore.pushpull(names, pushed, out=pulled)
        return
    for position, (name, grads, arrays) in enumerate(zip(names, pushed, pulled, strict=True)):
        kvstore.pushpull(name, grads, out=arrays, priority=-position)


def _are_dense(arrays: Sequence[NDArray], grads: Sequence[NDArray]) -> bool:
    return arrays[0].stype == "default" == grads[0].stype


def update_params(
    param_arrays: Arrays,
    grad_arrays: Arrays,
    updater: Callable[..., Any],
    num_device: int,
    kvstore: Any = None,
    param_names: Sequence[str] | None = None,
) -> None:
    """Updates the parameters on every device, with gradients that a store has summed up.

    Args:
        param_arrays: of the devices.
        grad_arrays: their gradients.
        updater: called for each device with indices, gradients and arrays of all parameters; the
            index is the parameter's position times `num_device`, plus the device's.
        num_device: how many devices there are.
        kvstore: the store; None: each device has its own gradients.
        param_names: of the parameters, which the store needs.
    """
    learning = list(_learning(param_arrays, grad_arrays))
    if kvstore:
        for position, arrays, grads in learning:
            name = position if param_names is None else param_names[position]
            _sum_up(kvstore, name, arrays, grads, -position)
    for device in range(num_device) if learning else ():
        indices = [position * num_device + device for position, _, _ in learning]
        grads_here = [grads[device] for _, _, grads in learning]
        updater(indices, grads_here, [arrays[device] for _, arrays, _ in learning])


def _sum_up(
    kvstore: Any, name: Any, arrays: Sequence[NDArray], grads: Sequence[NDArray], priority: int
) -> None:
    """Replaces the gradients of a parameter by their sum."""
    if _are_dense(arrays, grads):
        kvstore.pushpull(name, list(grads), priority=priority)
    else:
        kvstore.push(name, list(grads), priority=priority)
        kvstore.pull(name, list(grads), priority=priority, ignore_sparse=False)
