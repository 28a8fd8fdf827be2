# SPDX-License-Identifier: Apache-2.0
"""Programs on blocks and parameters, written once for any package with MXNet's API."""

from . import blocks, files, graphs, parameters  # noqa: F401
from .kit import PROGRAMS, outcome

__all__ = ["PROGRAMS", "outcome"]
