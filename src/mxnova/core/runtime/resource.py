# SPDX-License-Identifier: Apache-2.0
"""What operators need beside their inputs: random streams and workspaces, by context."""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ..base import env
from ..base.errors import FormatError, argument_error, shown
from .context import Context, is_there
from .exact_streams import ExactStream
from .forks import after_fork_in_child
from .storage import Storage, empty

__all__ = [
    "ResourceManager",
    "TempSpace",
    "random_states",
    "random_stream",
    "restore_random_states",
    "seed",
]

Kind = Literal["random", "parallel_random", "temp_space"]

_GOLDEN = 0x9E3779B97F4A7C15
_SEEDS = 1 << 32  # MXNet takes 32 bits of a seed
_KINDS, _MOST = ("cpu", "gpu", "cpu_pinned", "cpu_shared"), 1024  # contexts that files may name


class TempSpace:
    """A workspace that grows to the largest request; each request may overwrite the last one's."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._memory: Tensor | None = None

    def get(self, shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> Tensor:
        """A tensor in the workspace, of undefined content."""
        n_bytes = torch.Size(shape).numel() * dtype.itemsize
        if self._memory is None or self._memory.numel() < n_bytes:
            self._memory = _workspace(n_bytes, self._context)
        return self._memory[:n_bytes].view(dtype).view(shape)


def _workspace(size: int, context: Context) -> Tensor:
    if context.device_type == "gpu":
        return empty((size,), torch.uint8, context)
    storage = Storage.get()
    return storage.lend(storage.alloc(size, context))


class _Spaces(threading.local):
    """Workspaces of this thread, by context, in turns."""

    def __init__(self) -> None:
        self.turns: dict[Context, Iterator[TempSpace]] = {}


class ResourceManager:
    """Hands out resources; one a process, `ResourceManager.get()`."""

    _instance: ResourceManager | None = None

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seed = 0  # as in MXNet, numbers are the same in each run unless seeded
        self._exact: ExactStream | None = None
        if env.get("MXNET_RANDOM") == "exact":
            self._exact = ExactStream(self._seed)
        self._streams: dict[tuple[Context, int], torch.Generator] = {}
        self._turns: defaultdict[Context, Iterator[int]] = defaultdict(itertools.count)
        self._spaces = _Spaces()

    @classmethod
    def get(cls) -> ResourceManager:
        """The manager of this process."""
        return _MANAGER

    def request(self, context: Context, kind: Kind) -> torch.Generator | TempSpace:
        """A resource of a context.

        Args:
            context: where it is used.
            kind: random (the stream that operators draw from), parallel_random (one of several
                streams, in turns), or temp_space (one of this thread's workspaces, in turns).
        """
        if kind == "random":
            return self.random(context)
        if kind == "parallel_random":
            with self._lock:
                turn = next(self._turns[context])
            return self._stream(context, 1 + turn % _copies(context, "PARALLEL_RAND"))
        if kind == "temp_space":
            return next(self._temp_spaces(context))
        known = "random, parallel_random, temp_space"
        raise argument_error("ResourceManager.request", "kind", kind, f"must be one of {known}")

    def _temp_spaces(self, context: Context) -> Iterator[TempSpace]:
        turns = self._spaces.turns
        if context not in turns:
            spaces = [TempSpace(context) for _ in range(_copies(context, "TEMP"))]
            turns[context] = itertools.cycle(spaces)
        return turns[context]

    # Random streams ------------------------------------------------------------------------------

    def random(self, context: Context) -> torch.Generator:
        """The stream that operators on `context` draw from; threads may share it."""
        return self._streams.get((context, 0)) or self._stream(context, 0)

    def _stream(self, context: Context, number: int) -> torch.Generator:
        with self._lock:
            stream = self._streams.get((context, number))
            if stream is None and self._exact and number == 0 and context.device.type == "cpu":
                stream = self._streams[context, number] = self._exact
            if stream is None:
                stream = torch.Generator(device=context.device)
                stream.manual_seed(_mixed(self._seed, context.device_id, number))
                self._streams[context, number] = stream
            return stream

    def seed(self, number: int, context: Context | None = None, exact: bool | None = None) -> None:
        """Restarts the streams of every context, or of one.

        Without a context, equal seeds give each context numbers of its own; with one, the numbers
        depend on the seed alone. Exact streams of CPU contexts are one, as in MXNet.

        Args:
            number: the seed.
            context: whose stream; default: all. A GPU that is not there has none.
            exact: whether CPU contexts draw MXNet's own numbers; default: as before.
        """
        self._choose(number, context, exact)
        if context is not None and is_there(context):
            self.random(context)
        with self._lock:
            if context is None:
                self._seed = number
            for (known, copy), stream in self._streams.items():
                if stream is self._exact:
                    continue
                if context is None:
                    stream.manual_seed(_mixed(number, known.device_id, copy))
                elif known == context:
                    stream.manual_seed(_mixed(number, 0, copy))

    def _choose(self, number: int, context: Context | None, exact: bool | None) -> None:
        """Restarts the exact stream where `number` is for it, or begins or ends its use."""
        with self._lock:
            used = self._exact is not None
            wanted = used if exact is None else exact
            if wanted:
                on_cpu = context is None or context.device_type != "gpu"
                start = (number if on_cpu else self._seed) % _SEEDS
                if self._exact is None:
                    self._exact = ExactStream(start)
                elif on_cpu:
                    self._exact.restart(start)
            if wanted == used:
                return
            if not wanted:
                self._exact = None
            for key in [k for k in self._streams if k[0].device.type == "cpu" and k[1] == 0]:
                del self._streams[key]

    # States --------------------------------------------------------------------------------------

    def states(self) -> dict[str, Any]:
        """Where the streams are, as plain data."""
        with self._lock:
            own = {place: s for place, s in self._streams.items() if s is not self._exact}
            return {
                "seed": self._seed,
                "exact": None if self._exact is None else self._exact.state(),
                "streams": [
                    [context.device_type, context.device_id, copy, stream.get_state().numpy()]
                    for (context, copy), stream in own.items()
                ],
            }

    def restore(self, states: Mapping[str, Any]) -> None:
        """Continues where `states` was called; streams of GPUs that are not here are left out.

        Raises:
            FormatError: `states` is something else.
            RuntimeError: a stream refuses its state.
        """
        seed, exact = states["seed"], states["exact"]
        if type(seed) is not int or seed.bit_length() > 64:
            raise FormatError(f"seed={shown(seed)}: must be an integer")
        self.seed(seed, exact=exact is not None)
        if self._exact is not None:
            self._exact.restore(exact)
        for kind, number, copy, state in states["streams"]:
            if kind not in _KINDS or type(number) is not int or type(copy) is not int:
                raise FormatError(f"a stream of {shown(kind)}({shown(number)})")
            if not 0 <= number < _MOST or not 0 <= copy < _MOST:
                raise FormatError(f"a stream number {copy} of {kind}({number})")
            context = Context(kind, number)
            if is_there(context):
                stream = self._stream(context, copy)
                stream.set_state(torch.from_numpy(state.copy()))

    def _after_fork(self) -> None:
        """A child cannot use the GPUs that its parent uses, nor free what lies there."""
        self._lock = threading.Lock()
        self._of_parent = {p: s for p, s in self._streams.items() if p[0].device_type == "gpu"}
        self._streams = {p: s for p, s in self._streams.items() if p not in self._of_parent}
        if self._exact is not None:
            self._exact.lock = threading.RLock()


def _mixed(seed: int, device_id: int, number: int) -> int:
    return (seed % _SEEDS + _GOLDEN * (device_id + (number << 16))) % 2**63


def _copies(context: Context, what: str) -> int:
    device = "GPU" if context.device_type == "gpu" else "CPU"
    copies: int = env.get(f"MXNET_{device}_{what}_COPY")
    return copies


_MANAGER = ResourceManager()
after_fork_in_child(_MANAGER._after_fork)

random_stream: Callable[[Context], torch.Generator] = _MANAGER.random


def seed(number: int, context: Context | None = None, exact: bool | None = None) -> None:
    """Restarts the random stream of `context`, or of every context; see `ResourceManager.seed`."""
    _MANAGER.seed(number, context, exact)


def random_states() -> dict[str, Any]:
    """Where the random streams of all contexts are, as plain data."""
    return _MANAGER.states()


def restore_random_states(states: Mapping[str, Any]) -> None:
    """Continues where `random_states` was called; see `ResourceManager.restore`."""
    _MANAGER.restore(states)
