# SPDX-License-Identifier: Apache-2.0
"""Convolutions that MXNet calls experimental."""

from ....core.base.doors import facade
from . import conv_layers
from .conv_layers import *  # noqa: F403

__all__ = conv_layers.__all__


facade(__name__)
