# SPDX-License-Identifier: Apache-2.0
"""Trainings as packages of MXNet's time write them, for any package with MXNet's API."""

from . import forecasting, loops, mistakes, translation  # noqa: F401
from .kit import PROGRAMS, outcome

__all__ = ["PROGRAMS", "outcome"]
