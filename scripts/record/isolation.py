# SPDX-License-Identifier: Apache-2.0
"""Running MXNet in a process of its own: it does not survive all that is recorded of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any


def isolated(function: Callable[[], Any]) -> Any:
    """What `function` returns, passed on as JSON; the exception's name or "crash" otherwise.

    MXNet must use its NaiveEngine, since threads do not fork.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result = function()
        except Exception as error:  # noqa: BLE001 - recorded
            result = {"error": type(error).__name__}
        os.write(writer, json.dumps(result).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if text and status == 0 else {"error": "crash"}
