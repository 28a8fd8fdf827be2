# SPDX-License-Identifier: Apache-2.0
"""The base of optimizers: learning rates per weight, update counts, and the registry."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar, TypeVar

import numpy as np

from .. import ndarray as nd
from ..core.base import env
from ..core.base.doors import door
from ..core.base.dtypes import BFLOAT16, dtype_of
from ..core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedTypeError,
    candidates,
    shown,
)
from ..core.base.html import fact_table
from ..core.base.scopes import is_np_array
from ..core.base.user_warnings import warn_user
from ..lr_scheduler import LRScheduler

__all__ = [
    "UNLIMITED",
    "Optimizer",
    "aggregation_size",
    "all_dense",
    "arguments_by_name",
    "arrays_of",
    "create",
    "dense",
    "is_half",
    "listed",
    "register",
    "zeros_like",
]

K = TypeVar("K", bound=type)

_log = logging.getLogger("mxnova")


class Optimizer:
    """An algorithm that updates weights by their gradients.

    Subclasses define `create_state` and `update`, and are found by `create` once they are
    registered.

    Args:
        rescale_grad: factor for all gradients, such as 1 / batch size.
        param_idx2name: index of a weight -> its name. Weights that have a name get weight decay
            only when it ends with ``_weight`` or ``_gamma``.
        wd: weight decay (L2 penalty).
        clip_gradient: bound for the size of every element of the rescaled gradients; none when
            None.
        learning_rate: learning rate; default: that of `lr_scheduler`, else 0.01.
        lr_scheduler: gives the learning rate for every number of updates.
        sym: a Symbol whose attributes ``__lr_mult__`` and ``__wd_mult__`` are obeyed.
        begin_num_update: number of updates that were made before.
        multi_precision: keep float32 copies of float16 and bfloat16 weights, and update those.
        param_dict: index of a weight -> gluon's Parameter, whose multipliers are obeyed.
        use_fused_step: MXNet 2's choice between an operator and array operations for a step; taken,
            and without effect: an optimizer has one form of its step here.

    Attributes:
        num_update: the most updates that any weight has had.
        lr_mult: index or name -> factor for the learning rate.
        wd_mult: index or name -> factor for the weight decay.
        aggregate_num: how many weights one call of `update` may get, in lists; 0: one, by itself.

    Example:
        >>> optimizer = mx.optimizer.Optimizer.create_optimizer("sgd", learning_rate=0.1)
        >>> optimizer.learning_rate
        0.1
    """

    opt_registry: ClassVar[dict[str, type[Optimizer]]] = {}
    # Attributes that updates change. Files of states without the optimizer contain them, too.
    _progress_names: ClassVar[tuple[str, ...]] = (
        "num_update",
        "_index_update_count",
        "_all_index_update_counts",
    )
    _step_depends_on_counts: ClassVar[bool] = True

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: dict[Any, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: LRScheduler | None = None,
        sym: Any = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: dict[Any, Any] | None = None,
        use_fused_step: bool = True,
    ) -> None:
        if not isinstance(param_idx2name, (dict, type(None))):
            raise AssertedTypeError(
                f"{type(self).__name__}: param_idx2name={shown(param_idx2name)}: "
                "must be a dict from index to name"
            )
        self.rescale_grad = rescale_grad
        self.lr_scheduler = lr_scheduler
        self.lr: Any = self._first_rate(learning_rate)
        self.wd = wd
        self.begin_num_update = begin_num_update
        self.num_update = begin_num_update
        self._index_update_count: dict[Any, int] = {}
        self._all_index_update_counts = {0: self._index_update_count}
        self.clip_gradient = clip_gradient
        self.multi_precision = multi_precision
        self.aggregate_num = 0
        self.idx2name = dict(param_idx2name or {})
        self.sym_info = () if sym is None else (sym.attr_dict(), sym.list_arguments())
        self.param_dict = param_dict or {}
        self.use_fused_step = use_fused_step
        self.allow_np_array = is_np_array()
        self.set_lr_mult({})
        self.set_wd_mult({})

    def _repr_html_(self) -> str:
        return fact_table(type(self).__name__, optimizer_facts(self))

    def _first_rate(self, learning_rate: float | None) -> float | None:
        """The rate to begin with, which the scheduler takes over where both are given."""
        scheduler = self.lr_scheduler
        if scheduler is None:
            return 0.01 if learning_rate is None else learning_rate
        if learning_rate is not None:
            if scheduler.base_lr != learning_rate:
                _log.warning(
                    "%s: learning_rate=%s replaces the scheduler's base_lr=%s",
                    type(self).__name__, learning_rate, scheduler.base_lr,
                )  # fmt: skip
            scheduler.base_lr = learning_rate
        return learning_rate

    # -- the registry

    @staticmethod
    def register(klass: K) -> K:
        """Registers a class under its name in lower case; for use as a decorator.

        Args:
            klass: the class.

        Example:
            >>> @mx.optimizer.register
            ... class SignDescent(mx.optimizer.Optimizer):
            ...     def create_state(self, index, weight):
            ...         return None
            ...     def update(self, index, weight, grad, state):
            ...         weight -= self.lr * grad.sign()
            >>> mx.optimizer.create("signdescent", learning_rate=0.1).lr
            0.1
        """
        if not isinstance(klass, type):
            raise AssertedTypeError(f"register: klass={shown(klass)}: must be a class")
        name = klass.__name__.lower()
        if name in Optimizer.opt_registry:
            old = Optimizer.opt_registry[name]
            warn_user(
                f"optimizer {name!r} was {old.__module__}.{old.__qualname__}, and is now "
                f"{klass.__module__}.{klass.__qualname__}",
                UserWarning,
            )
        Optimizer.opt_registry[name] = klass
        return klass

    @staticmethod
    @door
    def create_optimizer(name: str, **kwargs: Any) -> Optimizer:
        """The optimizer that is registered as `name` (in any case), made with `kwargs`.

        Args:
            name: the registered name.
            **kwargs: arguments of the class.

        Raises:
            ArgumentError: there is none.

        Example:
            >>> mx.optimizer.create("adam", learning_rate=0.01).learning_rate
            0.01
        """
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"create: name={shown(name)}: must be the name of an optimizer, such as 'sgd'"
            )
        klass = Optimizer.opt_registry.get(name.lower())
        if klass is None:
            hint = candidates(name, Optimizer.opt_registry)
            raise ArgumentError(f"Cannot find optimizer {name}{hint}")
        return klass(**kwargs)

    # -- what subclasses define

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Return the state of a weight between updates: None, an array, or a tuple of arrays."""
        return None

    def update(self, index: Any, weight: nd.NDArray, grad: nd.NDArray, state: Any) -> None:
        """Updates `weight` and `state` in place.

        Args:
            index: of the weight; tells its rates and counts its updates.
            weight: the weight; a list (as are the others) where `aggregate_num` is not 0.
            grad: its gradient.
            state: what `create_state` gave for it.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no update()")

    # -- float16 and bfloat16 weights

    def create_state_multi_precision(self, index: Any, weight: nd.NDArray) -> Any:
        """`create_state`; of a float16 or bfloat16 weight with a float32 copy, where asked for."""
        if not is_half(weight):
            return self.create_state(index, weight)
        if self.multi_precision:
            master = weight.astype("float32")
            return self._paired(self.create_state(index, master), master)
        warn_user(
            f"{type(self).__name__} sums up in {dtype_of(weight).name}, which may train badly: "
            "multi_precision=True keeps float32 copies of weights",
            UserWarning,
        )
        return self.create_state(index, weight)

    def _paired(self, state: Any, master: nd.NDArray) -> Any:
        """A state and the float32 copy of its weight, in the optimizer's order."""
        return master, state

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update` of the float32 copy of a float16 weight where there is one, else of `weight`."""
        if self.multi_precision and is_half(weight):
            master, own_state = state
            self.update(index, master, grad.astype("float32"), own_state)
            nd.cast(master, dtype=weight.dtype, out=weight)
        else:
            self.update(index, weight, grad, state)

    # -- rates

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next update, before multipliers."""
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        """Sets the learning rate.

        Raises:
            UserWarning: there is a scheduler, which decides it.
        """
        if self.lr_scheduler is not None:
            raise UserWarning(
                f"set_learning_rate({lr}): the optimizer's lr_scheduler decides the learning rate"
            )
        self.lr = lr

    def set_lr_scale(self, args_lrscale: Any) -> None:
        """The old name of `set_lr_mult`, which had other arguments."""
        raise DeprecationWarning("set_lr_scale is no more: set_lr_mult takes its place")

    def set_lr_mult(self, args_lr_mult: dict[Any, float]) -> None:
        """Sets factors for the learning rates of weights, by index or name.

        What a Symbol or `args_lr_mult` does not name has 1.
        """
        self.lr_mult = {**self._multipliers_of_symbol("__lr_mult__"), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: dict[Any, float]) -> None:
        """Sets factors for the weight decays of weights, by index or name.

        What a Symbol or `args_wd_mult` does not name has 1, or 0 where it has a name that ends
        neither with ``_weight`` nor with ``_gamma``.
        """
        names = self.idx2name.values()
        undecayed = {n: 0.0 for n in names if not n.endswith(("_weight", "_gamma"))}
        of_symbol = self._multipliers_of_symbol("__wd_mult__")
        self.wd_mult = {**undecayed, **of_symbol, **args_wd_mult}

    def _multipliers_of_symbol(self, attribute: str) -> dict[str, float]:
        if not self.sym_info:
            return {}
        attrs, arguments = self.sym_info
        return {n: float(attrs[n][attribute]) for n in arguments if attribute in attrs.get(n, ())}

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        """Learning rates of weights at this number of updates."""
        scheduler = self.lr_scheduler
        lr = self.lr if scheduler is None else scheduler(self.num_update)
        return self._multiplied(lr, indices, self.lr_mult, "lr_mult")

    def _get_wds(self, indices: Sequence[Any]) -> list[float]:
        """Weight decays of weights."""
        return self._multiplied(self.wd, indices, self.wd_mult, "wd_mult")

    def _multiplied(
        self, rate: float, indices: Sequence[Any], multipliers: dict[Any, float], attribute: str
    ) -> list[float]:
        """`rate` for each weight, times its factor; what a Parameter says comes first."""
        parameters, names = self.param_dict, self.idx2name
        if not parameters and not multipliers:
            return [rate] * len(indices)
        rates = []
        for index in indices:
            if index in parameters:
                factor = getattr(parameters[index], attribute)
            elif index in multipliers:
                factor = multipliers[index]
            else:
                factor = multipliers.get(names.get(index), 1.0)
            # By the same number, not an equal one, operators know that nothing is new.
            is_same = factor == 1.0 or rate == 0.0
            rates.append(rate if is_same else rate * factor)
        return rates

    def _get_lr(self, index: Any) -> float:
        """The learning rate of one weight."""
        return self._get_lrs([index])[0]

    def _get_wd(self, index: Any) -> float:
        """The weight decay of one weight."""
        return self._get_wds([index])[0]

    # -- counts

    def _update_count(self, index: Any) -> None:
        """Counts an update of one weight, or of each in a list."""
        counts, most = self._index_update_count, self.num_update
        for i in index if isinstance(index, (list, tuple)) else (index,):
            count = counts.get(i, self.begin_num_update) + 1
            counts[i] = count
            if count > most:
                most = count
        self.num_update = most

    def _set_current_context(self, device_id: int) -> None:
        """Counts the updates of this device from here on: each has copies of the weights."""
        counts = self._all_index_update_counts.get(device_id)
        if counts is None:
            counts = self._all_index_update_counts[device_id] = {}
        self._index_update_count = counts

    def _depends_on_counts(self) -> bool:
        """Return whether the number of updates changes an update."""
        return self._step_depends_on_counts or self.lr_scheduler is not None

    # -- for subclasses

    def _options(self, **options: Any) -> dict[str, Any]:
        """Arguments of an update operator: `options`, and what all of them take."""
        options["rescale_grad"] = self.rescale_grad
        if self.clip_gradient:
            options["clip_gradient"] = self.clip_gradient
        return options

    def _scaled(self, grad: nd.NDArray) -> nd.NDArray:
        """The gradient rescaled and clipped, as a new array."""
        return self._clipped(grad * self.rescale_grad)

    def _decayed(self, grad: nd.NDArray, weight: nd.NDArray, wd: float) -> nd.NDArray:
        """The gradient rescaled, with ``wd * weight`` added, and then clipped."""
        return self._clipped(grad * self.rescale_grad + wd * weight)

    def _clipped(self, grad: nd.NDArray) -> nd.NDArray:
        bound = self.clip_gradient
        return grad if bound is None else nd.clip(grad, -bound, bound)

    def _counted(self, index: Any) -> tuple[float, float]:
        """Learning rate and weight decay for an update of one weight, which is counted."""
        self._update_count(index)
        return self._get_lr(index), self._get_wd(index)

    def _goes_with_dense(self, weight: nd.NDArray, grad: nd.NDArray, state: Any) -> bool:
        """Whether one call updates a weight that is sparse, or its gradient, with dense ones."""
        return False

    def _batch_limit(self) -> int:
        """How many weights one call of `update_multi_precision` may get; 0: one, not in a list."""
        return self.aggregate_num

    def _batch_limit_of(self, cls: type, size: int) -> int:
        """`_batch_limit` where `cls` takes lists of any length, but its subclasses may not."""
        own = type(self)
        is_own = own is cls or all(
            getattr(own, name) is getattr(cls, name) for name in _ASKED_FOR_A_WEIGHT
        )
        return UNLIMITED if is_own and size > 1 else self.aggregate_num

    # -- pickles

    def __getstate__(self) -> dict[str, Any]:
        """All attributes but the Parameters, which a Trainer sets anew."""
        return {name: value for name, value in self.__dict__.items() if name != "param_dict"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state
        self.param_dict = {}


register = Optimizer.register
create = Optimizer.create_optimizer


def is_half(weight: nd.NDArray) -> bool:
    """Whether the weight is float16 or bfloat16, so that a float32 copy helps."""
    return weight.dtype is np.float16 or weight.dtype == BFLOAT16


def zeros_like(weight: nd.NDArray, *, dtype: Any = None, sparse: bool = False) -> nd.NDArray:
    """Zeros for a state of `weight`; in the weight's storage where `sparse` says so."""
    stype = weight.stype if sparse else "default"
    kind = weight.dtype if dtype is None else dtype
    return nd.zeros(weight.shape, weight.context, dtype=kind, stype=stype)


# Updates of several weights at once ---------------------------------------------------------------

UNLIMITED = 1 << 30
# What MXNet calls for one weight at a time; a subclass with its own gets one, or as it says.
_ASKED_FOR_A_WEIGHT = (
    "update",
    "update_multi_precision",
    "_update_count",
    "_get_lr",
    "_get_lrs",
    "_get_wd",
    "_get_wds",
)


def aggregation_size() -> int:
    """Return the number of weights that an aggregating optimizer updates in one call."""
    return int(env.get("MXNET_OPTIMIZER_AGGREGATION_SIZE"))


def listed(*arguments: Any) -> tuple[Sequence[Any], ...]:
    """The arguments of an update as lists, also where it is one of one weight."""
    if isinstance(arguments[0], (list, tuple)):
        return arguments
    return tuple([(argument,) for argument in arguments])


def all_dense(*lists: Sequence[nd.NDArray]) -> bool:
    """Whether none of the arrays is sparse, which their classes tell."""
    classes: set[type[nd.NDArray]] = set(map(type, chain.from_iterable(lists)))
    return all(cls.stype == "default" for cls in classes)


def dense(array: nd.NDArray) -> nd.NDArray:
    """The array, without sparse storage."""
    return array if array.stype == "default" else array.tostype("default")


def arrays_of(state: Any) -> tuple[nd.NDArray, ...]:
    """The arrays in a state, in order."""
    if isinstance(state, tuple):
        return tuple([array for part in state for array in arrays_of(part)])
    return () if state is None else (state,)


def arguments_by_name(function: str, given: Any) -> dict[str, Any]:
    """The arguments of an optimizer, given to `function` as a dict or as pairs.

    Raises:
        ArgumentTypeError: they are something else.
    """
    try:
        return dict(given or {})
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"{function}: optimizer_params={shown(given)}: must be a dict, such as "
            "{'learning_rate': 0.1}"
        ) from None


def optimizer_facts(optimizer: Optimizer) -> dict[str, Any]:
    """The rate, the updates so far, and the numbers that an optimizer was made with, by name."""
    numbers = {
        name: value
        for name, value in vars(optimizer).items()
        if isinstance(value, (bool, int, float)) and not name.startswith("_")
    }
    for name in ("lr", "num_update", "begin_num_update", "aggregate_num", "allow_np_array"):
        numbers.pop(name, None)
    scheduler = optimizer.lr_scheduler
    return {
        "learning_rate": optimizer.learning_rate,
        **({} if scheduler is None else {"lr_scheduler": type(scheduler).__name__}),
        "updates": optimizer.num_update,
        **numbers,
    }
