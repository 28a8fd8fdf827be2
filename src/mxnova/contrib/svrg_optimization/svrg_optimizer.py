# SPDX-License-Identifier: Apache-2.0
"""What updates an SVRGModule's parameters, and takes over means of gradients, in one store."""

from __future__ import annotations

import inspect
from typing import Any

from ...ndarray import NDArray
from ...optimizer import Optimizer, create, register

__all__ = ["FULL"]

FULL = "_full"  # ends the name of the mean of a parameter's gradients
_OF_OPTIMIZER = frozenset(inspect.signature(Optimizer).parameters)


@register
class _AssignmentOptimizer(Optimizer):
    """The weight becomes the gradient."""

    _step_depends_on_counts = False

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Sets `weight` to `grad`."""
        weight[:] = grad


@register
class _SVRGOptimizer(Optimizer):
    """An optimizer for parameters, and plain assignment for means of their gradients.

    Args:
        default_optimizer: the optimizer of parameters, or the name of one.
        kwargs: arguments of an optimizer that is given by name; those that every optimizer has are
            this one's, too.

    Attributes:
        default_opt: the optimizer of parameters.
        aux_opt: that of means, whose names end with `FULL`.
    """

    _progress_names = (*Optimizer._progress_names, "default_opt")

    def __init__(self, default_optimizer: str | Optimizer, **kwargs: Any) -> None:
        super().__init__(**self._check_params(**kwargs))
        if isinstance(default_optimizer, str):
            default_optimizer = create(default_optimizer, **kwargs)
        self.default_opt = default_optimizer
        self.aux_opt = create(_AssignmentOptimizer.__name__)

    @staticmethod
    def _check_params(**kwargs: Any) -> dict[str, Any]:
        """Those of the arguments that every optimizer has."""
        return {name: value for name, value in kwargs.items() if name in _OF_OPTIMIZER}

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The state of a parameter; None for a mean."""
        return self._of(index).create_state(index, weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Updates a parameter, or takes over a mean."""
        self._of(index).update(index, weight, grad, state)

    def _depends_on_counts(self) -> bool:
        return self.default_opt._depends_on_counts()

    def _of(self, index: Any) -> Optimizer:
        return self.aux_opt if self._check_index(index).endswith(FULL) else self.default_opt

    def _check_index(self, index: Any) -> str:
        """The name that belongs to an index, which may be the name itself."""
        name: str = index if index in self.idx2name.values() else self.idx2name[index]
        return name
