# SPDX-License-Identifier: Apache-2.0
"""Layers that MXNet calls experimental."""

from . import basic_layers
from .basic_layers import *  # noqa: F403

__all__ = basic_layers.__all__
