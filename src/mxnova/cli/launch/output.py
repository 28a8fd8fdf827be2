# SPDX-License-Identifier: Apache-2.0
"""Output of several processes, line by line, each line with the name of its process."""

from __future__ import annotations

import os
import re
import selectors
from collections.abc import Callable
from typing import IO, Any

from rich.text import Text

from ...core.base.console import open_console

__all__ = ["Output"]

_COLORS = ("cyan", "green", "yellow", "blue", "magenta", "bright_cyan", "bright_green")
_END = re.compile(rb"\r\n|\n|\r")  # bars of progress begin again with \r
_LONGEST = 1 << 20  # of a line, in bytes


class Output:
    """Reads pipes when there is something in them; also waits for other files."""

    def __init__(self) -> None:
        self._watched = selectors.DefaultSelector()
        self._pipes: set[IO[bytes]] = set()
        self._colors: dict[str, str] = {}

    def add(self, pipe: IO[bytes], to: IO[str], name: str) -> None:
        """Forward lines from `pipe` to `to`, prefixed with `name`."""
        os.set_blocking(pipe.fileno(), False)
        color = self._colors.setdefault(name, _COLORS[len(self._colors) % len(_COLORS)])
        lines = _Lines(pipe, to, name, color)
        self._pipes.add(pipe)
        self._watched.register(pipe, selectors.EVENT_READ, lambda: self._read(lines))

    def once(self, number: int, act: Callable[[], Any]) -> None:
        """Calls `act` when the file descriptor `number` can be read, once."""

        def act_once() -> None:
            self._watched.unregister(number)
            act()

        self._watched.register(number, selectors.EVENT_READ, act_once)

    def show(self, seconds: float) -> bool:
        """Shows what there is, or what comes within `seconds`; whether there was something."""
        ready = self._watched.select(seconds)
        for key, _ in ready:
            key.data()
        return bool(ready)

    def close(self) -> None:
        """Shows the rest. Pipes that somebody else still holds open are not waited for."""
        while self._pipes and self.show(0.2):
            pass
        for pipe in self._pipes:
            pipe.close()
        self._watched.close()

    def _read(self, lines: _Lines) -> None:
        if not lines.read():
            self._watched.unregister(lines.pipe)
            lines.pipe.close()
            self._pipes.remove(lines.pipe)


class _Lines:
    """Split the output of a pipe into lines."""

    def __init__(self, pipe: IO[bytes], to: IO[str], name: str, color: str) -> None:
        self.pipe, self._to = pipe, to
        self._rest = b""
        console = open_console(file=to, highlight=False)
        with console.capture() as shown:
            console.print(Text(f"[{name}] ", style=color), end="", soft_wrap=True)
        self._prefix = shown.get().encode()

    def read(self) -> bool:
        """Shows whole lines, and at the end of the pipe what is left; False: it is at its end."""
        try:
            got = os.read(self.pipe.fileno(), 1 << 16)
        except BlockingIOError:
            return True
        *lines, self._rest = _END.split(self._rest + got)
        if self._rest and (not got or len(self._rest) > _LONGEST):
            lines.append(self._rest)
            self._rest = b""
        self._show(lines)
        return bool(got)

    def _show(self, lines: list[bytes]) -> None:
        text = b"".join(self._prefix + line + b"\n" for line in lines)
        if not text:
            return
        buffer = getattr(self._to, "buffer", None)
        if buffer is None:  # a stream of texts only
            self._to.write(text.decode(errors="replace"))
        else:
            self._to.flush()
            buffer.write(text)
        self._to.flush()
