# SPDX-License-Identifier: Apache-2.0
"""``mxnova check``: what in a script for MXNet works otherwise here, or not at all."""

from .check import check

__all__ = ["check"]
