# SPDX-License-Identifier: Apache-2.0
"""Blocks that run one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.base.user_warnings import warn_user
from ..block import Block, HybridBlock
from ..listing import indented

__all__ = ["HybridSequential", "Sequential"]


class _Chain(Block):
    """The list interface of a chain of blocks: length, items, slices that share the blocks."""

    _is_summarized = False

    def add(self, *blocks: Block) -> None:
        """Append `blocks`."""
        for block in blocks:
            self.register_child(block)

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._children.values()))

    def __getitem__(self, key: int | slice) -> Any:
        children = list(self._children.values())
        if not isinstance(key, slice):
            return children[key]
        part = type(self)(prefix=self._prefix)
        with part.name_scope():
            part.add(*children[key])
        return part

    def __repr__(self) -> str:
        lines = [f"  ({name}): {indented(repr(c), 2)}" for name, c in self._children.items()]
        return "\n".join([f"{type(self).__name__}(", "\n".join(lines), ")"])


class Sequential(_Chain):
    """Blocks that run one after another.

    Example::

        net = nn.Sequential()
        net.add(nn.Dense(10, activation="relu"), nn.Dense(20))

    Args:
        prefix: the beginning of its parameters' names.
        params: parameters to be shared.

    Example:
        >>> net = mx.gluon.nn.Sequential()
        >>> net.add(mx.gluon.nn.Dense(4), mx.gluon.nn.Dense(2))
        >>> net.initialize()
        >>> net(mx.nd.ones((3, 5))).shape
        (3, 2)
    """

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)

    def forward(self, x: Any) -> Any:
        """Apply the blocks in sequence, beginning with `x`."""
        for block in self._children.values():
            x = block(x)
        return x

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Hybridizes every block; a chain of hybrid blocks alone had better be a hybrid one."""
        children = self._children.values()
        if children and all(isinstance(child, HybridBlock) for child in children):
            warn_user(
                f"{self.prefix!r} is a Sequential of hybrid blocks alone: as a HybridSequential it "
                "would run as one graph",
            )
        super().hybridize(active, **kwargs)


class HybridSequential(_Chain, HybridBlock):
    """Hybrid blocks that run one after another, and as one graph after `hybridize`.

    Args:
        prefix: the beginning of its parameters' names.
        params: parameters to be shared.

    Example:
        >>> net = mx.gluon.nn.HybridSequential()
        >>> net.add(mx.gluon.nn.Dense(4), mx.gluon.nn.Dense(2))
        >>> net.initialize()
        >>> net(mx.nd.ones((3, 5))).shape
        (3, 2)
    """

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply the blocks in sequence, beginning with `x`."""
        for block in self._children.values():
            x = block(x)
        return x
