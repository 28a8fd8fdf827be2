# SPDX-License-Identifier: Apache-2.0
"""Programs that record and differentiate, written once for any package with MXNet's API."""

from . import functions, heads, integers, leaves, operators, orders, symbols, writes  # noqa: F401
from .kit import PROGRAMS, outcome

__all__ = ["PROGRAMS", "outcome"]
