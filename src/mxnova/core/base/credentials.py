# SPDX-License-Identifier: Apache-2.0
"""URLs in messages, without what only their owner may know."""

from __future__ import annotations

import re

__all__ = ["without_credentials"]

_USER = re.compile(r"(?<=://)[^/\s'\"]*@")
_QUERY = re.compile(r"(://[^\s?#'\"]*)[?#][^\s'\"]*")


def without_credentials(text: str) -> str:
    """`text`, whose URLs have lost users, passwords and queries, such as signatures."""
    if "://" not in text:
        return text
    return _QUERY.sub(r"\1", _USER.sub("", text))
