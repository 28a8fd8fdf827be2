# SPDX-License-Identifier: Apache-2.0
"""Layers that MXNet calls experimental."""

from ....core.base.doors import facade
from . import basic_layers
from .basic_layers import *  # noqa: F403

__all__ = basic_layers.__all__


facade(__name__)
