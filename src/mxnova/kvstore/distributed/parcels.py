# SPDX-License-Identifier: Apache-2.0
"""Parcels: pieces of arrays as few messages, the small ones together."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

__all__ = ["Rooms", "packed", "unpacked"]

_SMALL = 1 << 16  # bytes of a piece that is copied to travel with others


def _is_small(piece: Tensor) -> bool:
    return piece.nbytes < _SMALL


def packed(pieces: Sequence[Tensor]) -> list[Tensor]:
    """Pieces, flat and of one element type, as messages: large ones, then the small ones in one."""
    small = [piece for piece in pieces if _is_small(piece)]
    large = [piece for piece in pieces if not _is_small(piece)]
    return [*large, torch.cat(small)] if len(small) > 1 else [*large, *small]


def unpacked(messages: Sequence[Tensor], pieces: Sequence[Tensor]) -> list[Tensor]:
    """What is in messages, for each of the pieces that `packed` would have made such of."""
    large = iter(messages)
    sizes = [piece.numel() for piece in pieces if _is_small(piece)]
    small = iter(torch.split(messages[len(pieces) - len(sizes)], sizes) if sizes else ())
    return [next(small if _is_small(piece) else large) for piece in pieces]


class Rooms:
    """Where messages of `packed` pieces go: large ones into the pieces themselves.

    Attributes:
        messages: tensors to be received into.
    """

    def __init__(self, pieces: Sequence[Tensor]) -> None:
        small = [piece for piece in pieces if _is_small(piece)]
        self.messages = [piece for piece in pieces if not _is_small(piece)]
        self._copies: list[tuple[Tensor, Tensor]] = []
        if len(small) == 1:
            self.messages += small
        elif small:
            room = small[0].new_empty(sum(piece.numel() for piece in small))
            received = torch.split(room, [piece.numel() for piece in small])
            self._copies = list(zip(small, received, strict=True))
            self.messages.append(room)

    def settle(self) -> None:
        """Puts what was received into all pieces."""
        for piece, received in self._copies:
            piece.copy_(received)
