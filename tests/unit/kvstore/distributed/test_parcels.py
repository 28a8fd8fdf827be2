# SPDX-License-Identifier: Apache-2.0
"""Pieces of arrays in few messages."""

import pytest
import torch

from mxnova.kvstore.distributed.parcels import Rooms, packed, unpacked


@pytest.mark.parametrize("sizes", [[], [3], [3, 4], [20_000], [5, 20_000, 7, 30_000], [0, 2]])
def test_pieces_come_as_they_went(sizes):
    pieces = [torch.randn(size) for size in sizes]
    messages = packed(pieces)
    assert len(messages) <= sum(size == 20_000 or size == 30_000 for size in sizes) + 1
    for piece, got in zip(pieces, unpacked(messages, pieces), strict=True):
        assert torch.equal(piece, got)
    others = [torch.zeros(size) for size in sizes]
    rooms = Rooms(others)
    for room, message in zip(rooms.messages, messages, strict=True):
        room.copy_(message)
    rooms.settle()
    for piece, got in zip(pieces, others, strict=True):
        assert torch.equal(piece, got)
