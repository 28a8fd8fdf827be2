# SPDX-License-Identifier: Apache-2.0
"""Watchdog: a small process that outlives a launcher that was killed, and ends its children."""

from __future__ import annotations

import subprocess
from contextlib import suppress

from ...core.base.errors import MXNetError

__all__ = ["Watchdog"]

# Lines are: + and a process group to look after, - and one that has ended; the end of its input is
# the launcher's.
_SCRIPT = """\
groups=
while read -r sign group; do
  rest=
  for other in $groups; do
    [ "$other" = "$group" ] || rest="$rest $other"
  done
  groups=$rest
  [ "$sign" = + ] && groups="$groups $group"
done
for number in TERM KILL; do
  [ -n "$groups" ] || exit
  for group in $groups; do kill -$number "-$group"; done
  sleep {grace}
done 2>/dev/null"""


class Watchdog:
    """The process; it ends with `close`, or when this process does.

    Args:
        grace: seconds that processes have to end when they are asked to.
    """

    def __init__(self, grace: float) -> None:
        self._script = _SCRIPT.replace("{grace}", f"{grace:g}")
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """Looks after a process group from now on.

        Raises:
            MXNetError: there is no shell.
        """
        if self._process is None:
            self._process = self._started()
        self._tell(f"+ {group}")

    def remove(self, group: int) -> None:
        """Forgets one, since its number may soon be another one's."""
        self._tell(f"- {group}")

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                ["sh", "-c", self._script],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # not to be reached by Ctrl-C
            )
        except OSError as error:
            raise MXNetError(f"launch: sh: {error.strerror}") from None

    def _tell(self, line: str) -> None:
        pipe = None if self._process is None else self._process.stdin
        if pipe is not None:
            with suppress(BrokenPipeError):  # somebody has ended it: then nobody looks after them
                pipe.write(line.encode() + b"\n")
                pipe.flush()

    def close(self) -> None:
        """Ends the process, and only that."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
