# SPDX-License-Identifier: Apache-2.0
"""Coordinator: calls that all ranks make in the same order, such as barriers.

Each rank asks rank 0, which compares their calls, and answers when all have made theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from ...core.base.errors import MXNetError
from .connections import Answer, Buffers, Connections, Request, no_buffers
from .peer import Meta
from .rounds import REFUSED, Rounds, difference

__all__ = ["Coordinator"]


class Coordinator:
    """Agreement of all ranks on calls.

    Args:
        connections: that carry the calls.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections, self._is_here = connections, connections.rank == 0
        self._rounds: Rounds[Request] = Rounds(connections.size)
        connections.serve("call", self._take_call)

    def agree(
        self,
        name: str,
        description: Sequence[Any] = (),
        payload: tuple[Meta, Sequence[Tensor]] = ({}, ()),
        buffers: Buffers = no_buffers,
    ) -> Answer:
        """Returns when all ranks have made this call.

        Args:
            name: what is called.
            description: of plain data: of what; the same on all ranks.
            payload: what rank 0 tells the others: plain data, and tensors.
            buffers: takes (0, these data), gives the tensors that the others receive into.

        Returns:
            The payload of rank 0.

        Raises:
            MXNetError: ranks differ, or one cannot make the call or is gone.
        """
        message: Meta = {"op": "call", "name": name, "description": description}
        if self._is_here:
            message["payload"] = payload
        answer: Answer = self._connections.ask(0, message, buffers=buffers, what=name).result()
        return answer

    def refuse(self, error: MXNetError) -> None:
        """Tells all ranks that this one cannot make the call that they are about to make."""
        message: Meta = {"op": "call", "name": REFUSED, "description": [str(error)]}
        if self._is_here:
            message["payload"] = ({}, ())
        self._connections.ask(0, message)

    def incomplete(self, seconds: float) -> list[tuple[str, list[int]]]:
        """Calls, at rank 0, that have waited so long for some ranks; and those that made them."""
        found = self._rounds.incomplete(seconds)
        return [(request.message["name"], ranks) for request, ranks in found]

    def _take_call(self, request: Request) -> None:
        message = request.message
        is_call = isinstance(message.get("name"), str) and isinstance(
            message.get("description"), (list, tuple)
        )
        if not self._is_here or not is_call:
            raise ValueError("it sent a call that is none")
        for calls in self._rounds.add(request.rank, {"call": request}):
            requests = list(calls.values())
            error = difference([(r.message["name"], r.message["description"]) for r in requests])
            for each in reversed(requests):  # this rank, which may go on then, last
                if error is None:
                    each.answer(*requests[0].message["payload"])
                else:
                    each.refuse(error)
