# SPDX-License-Identifier: Apache-2.0
"""Convolutions that MXNet calls experimental."""

from . import conv_layers
from .conv_layers import *  # noqa: F403

__all__ = conv_layers.__all__
