# SPDX-License-Identifier: Apache-2.0
"""States of optimizers as bytes: the pickles of MXNet's Updater, read and written as data.

An optimizer or scheduler in such a pickle becomes an object only of a class that the program has
imported already; no module is imported and no function called because a file says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from inspect import Parameter, signature
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentTypeError, FormatError, shown
from ..core.nd.base_array import BaseArray
from ..core.nd.files import array_of_record, record_of_array
from ..formats.inert_pickle import Global
from ..formats.params import ArrayRecord
from ..formats.states import ObjectRecord, StatesFile, dumps_states, read_states
from ..lr_scheduler import LRScheduler
from .base import Optimizer
from .validation import check_attributes, check_names, check_scheduler

__all__ = [
    "described",
    "dumps_described",
    "dumps_updater",
    "load_states",
    "loads_updater",
    "set_progress",
]

_OWN = __name__.partition(".")[0]


def load_states(path: str | os.PathLike[str] | bytes) -> dict[Any, Any]:
    """The states that a Trainer or Module saved: index (or name) -> state.

    A state is None, an NDArray, or a tuple or list of states. The file is a pickle; it is read by a
    machine that builds arrays, numbers and containers and runs nothing.

    Args:
        path: the name of the file.

    Raises:
        FormatError: the file is no such pickle.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "trainer.states")
        >>> weight = mx.gluon.Parameter("weight", shape=(2,))
        >>> weight.initialize()
        >>> trainer = mx.gluon.Trainer([weight], "sgd", {"momentum": 0.9})
        >>> with mx.autograd.record():
        ...     loss = weight.data().sum()
        >>> loss.backward()
        >>> trainer.step(1)
        >>> trainer.save_states(path)
        >>> {index: state.shape for index, state in mx.optimizer.load_states(path).items()}
        {0: (2,)}
    """
    return _states_of(read_states(path))


# Reading ------------------------------------------------------------------------------------------


def loads_updater(
    data: bytes,
) -> tuple[dict[Any, Any], Optimizer | None, dict[str, Any] | None]:
    """Return the states, the optimizer or None, and its progress or None, from an Updater's bytes.

    Raises:
        FormatError: the bytes are no such pickle, or hold an optimizer of an unknown class.
    """
    file = read_states(bytes(data))
    optimizer = None if file.optimizer is None else _optimizer_of(file.optimizer)
    return _states_of(file), optimizer, _live(file.progress)


def set_progress(optimizer: Optimizer, progress: Mapping[str, Any]) -> None:
    """Set the attributes that updates change, as far as `progress` contains them.

    Raises:
        FormatError: a value is of another kind than the attribute; nothing was set then.
    """
    own = vars(optimizer)
    usual = {name: own[name] for name in optimizer._progress_names if name in progress}
    inner = {name: value for name, value in usual.items() if isinstance(value, Optimizer)}
    values = {name: progress[name] for name in usual if name not in inner}
    check_attributes(type(optimizer), values, {name: own[name] for name in values})
    for name, value in inner.items():
        if not isinstance(progress[name], dict):
            raise FormatError(f"progress of {name}: {shown(progress[name])}: must be a dictionary")
        set_progress(value, progress[name])
    own.update(values)
    _share_counts(own)


def _states_of(file: StatesFile) -> dict[Any, Any]:
    return {key: _live(state) for key, state in file.states.items()}


def _live(value: Any) -> Any:
    """Records as what they stand for, in containers of any depth."""
    if isinstance(value, ArrayRecord):
        return array_of_record(value)
    if isinstance(value, ObjectRecord):
        return _object_of(value)
    if isinstance(value, dict):
        return {key: _live(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)([_live(item) for item in value])
    return value


def _optimizer_of(record: ObjectRecord) -> Optimizer:
    optimizer = _object_of(record)
    if not isinstance(optimizer, Optimizer):
        raise FormatError(f"states with an object of {_named(record)} in place of an optimizer")
    _share_counts(optimizer.__dict__)
    return optimizer


def _share_counts(state: dict[Any, Any]) -> None:
    """Makes one dictionary of counts of two that are equal: data does not tell that they were."""
    counts, of_devices = state.get("_index_update_count"), state.get("_all_index_update_counts")
    if not isinstance(of_devices, dict):
        return
    for device, others in of_devices.items():
        if others == counts:
            of_devices[device] = counts
            break


def _object_of(record: ObjectRecord) -> Any:
    cls = _class_of(record)
    made = _new(cls)
    usual = dict(made.__dict__)
    state = {str(name): _live(value) for name, value in record.state.items()}
    check_names(cls, state)
    if isinstance(made, Optimizer):
        made.__setstate__({**made.__getstate__(), **state})
        check_attributes(cls, vars(made), usual)
    else:
        made.__dict__.update(state)
        if _is_own(cls):
            check_scheduler(made)
    return made


def _new(cls: type) -> Any:
    """An object; an optimizer has its defaults, for what older versions did not write."""
    if not issubclass(cls, Optimizer):
        return cls.__new__(cls)
    if _is_own(cls) and not _wants_arguments(cls):
        return cls()
    made = cls.__new__(cls)  # a constructor of the program's own is not run
    Optimizer.__init__(made)
    return made


def _wants_arguments(cls: type) -> bool:
    """Whether it cannot be made without, such as one that stands around another optimizer."""
    optional = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    arguments = signature(cls).parameters.values()
    return any(p.default is p.empty and p.kind not in optional for p in arguments)


def _class_of(record: ObjectRecord) -> type:
    """The class that a record names, among the optimizers and schedulers of this program."""
    is_own = record.module.partition(".")[0] in (_OWN, "mxnet")
    for cls in _known_classes():
        if is_own and _is_own(cls) and cls.__name__ == record.name:
            return cls
        if (cls.__module__, cls.__name__) == (record.module, record.name):
            return cls
    raise FormatError(
        f"states with an object of {_named(record)}, which is no optimizer and no scheduler that "
        "this program has imported; import it before reading them"
    )


def _known_classes() -> Iterator[type]:
    """Optimizers and schedulers that are imported, what was defined last first."""
    waiting: list[type] = [Optimizer, LRScheduler]
    for cls in waiting:
        waiting += cls.__subclasses__()
    return reversed(waiting)


def _is_own(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == _OWN


def _named(record: ObjectRecord) -> str:
    return f"{record.module:.80}.{record.name:.80}"


# Writing ------------------------------------------------------------------------------------------


def dumps_updater(
    states: Mapping[Any, Any], optimizer: Optimizer, dump_optimizer: bool = True
) -> bytes:
    """Return the bytes of an Updater, which MXNet 1.9.1 reads, too.

    Args:
        states: the states by index.
        optimizer: the optimizer.
        dump_optimizer: whether to write the whole optimizer instead of its progress alone.

    Raises:
        ArgumentTypeError: a state, or an attribute of the optimizer, that is no plain data.
    """
    described = _Described()
    plain = described.plain(dict(states))
    if dump_optimizer:
        return dumps_states(plain, described.plain(optimizer), classes=described.classes)
    progress = described.plain(_progress(type(optimizer), vars(optimizer)))
    return dumps_states(plain, progress=progress, classes=described.classes)


def _progress(cls: Any, attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the attributes that updates change, of an Optimizer or of the record of one."""
    progress = {n: attributes[n] for n in cls._progress_names if n in attributes}
    for name, value in progress.items():
        if isinstance(value, Optimizer):
            progress[name] = _progress(type(value), vars(value))
        elif isinstance(value, ObjectRecord):
            progress[name] = _progress(_class_of(value), value.state)
    return progress


def described(states: Mapping[Any, Any], optimizer: Optimizer) -> StatesFile:
    """States and their optimizer as records, on the memory of the states.

    Raises:
        ArgumentTypeError: a state, or an attribute of the optimizer, that is no plain data.
    """
    values = _Described()
    return StatesFile(values.plain(dict(states)), values.plain(optimizer))


def dumps_described(file: StatesFile, with_optimizer: bool) -> bytes:
    """The bytes that `dumps_updater` gives for what was `described`.

    Raises:
        FormatError: it names a class that is no optimizer and no scheduler of this program.
    """
    classes = {Global(r.module, r.name) for r in _objects_in((file.states, file.optimizer))}
    for name in classes:
        _class_of(ObjectRecord(name.module, name.name, {}))
    record = file.optimizer
    if record is None:
        return dumps_states(file.states, progress=file.progress, classes=classes)
    _share_counts(record.state)
    if with_optimizer:
        return dumps_states(file.states, record, classes=classes)
    progress = _progress(_class_of(record), record.state)
    return dumps_states(file.states, progress=progress, classes=classes)


def _objects_in(value: Any) -> Iterator[ObjectRecord]:
    if isinstance(value, ObjectRecord):
        yield value
        yield from _objects_in(value.state)
    elif isinstance(value, (dict, tuple, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects_in(item)


class _Described:
    """Values as records, what is shared staying so.

    Attributes:
        classes: names of the classes of objects, as they are written.
    """

    def __init__(self) -> None:
        self.classes: set[Global] = set()
        self._done: dict[int, tuple[Any, Any]] = {}  # id -> the value, kept alive, and its record

    def plain(self, value: Any) -> Any:
        """`value` in the terms of `formats.states`."""
        if value is None or type(value) in (bool, int, float, str, bytes):
            return value
        if id(value) not in self._done:
            self._done[id(value)] = value, self._record(value)
        return self._done[id(value)][1]

    def _record(self, value: Any) -> Any:
        if isinstance(value, BaseArray):
            return record_of_array(value)
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, dict):
            return {self.plain(key): self.plain(item) for key, item in value.items()}
        if isinstance(value, (tuple, list)):
            return (tuple if isinstance(value, tuple) else list)(map(self.plain, value))
        if isinstance(value, Optimizer):
            return self._object(value, value.__getstate__())
        if isinstance(value, LRScheduler):
            return self._object(value, value.__dict__)
        raise ArgumentTypeError(
            f"{shown(value)}: optimizer states are written as data: arrays, numbers, text, "
            "containers of those, optimizers and schedulers"
        )

    def _object(self, value: Any, state: Mapping[str, Any]) -> ObjectRecord:
        cls = type(value)
        name = Global(_home(cls), cls.__name__)
        self.classes.add(name)
        return ObjectRecord(name.module, name.name, {n: self.plain(v) for n, v in state.items()})


def _home(cls: type) -> str:
    """The module of a class, in MXNet's terms."""
    if not _is_own(cls):
        return cls.__module__
    if issubclass(cls, LRScheduler):
        return "mxnet.lr_scheduler"
    own = "contrib" if cls.__module__.endswith(".contrib") else "optimizer"
    return f"mxnet.optimizer.{own}"
