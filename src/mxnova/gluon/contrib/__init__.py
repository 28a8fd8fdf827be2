# SPDX-License-Identifier: Apache-2.0
"""Additions to Gluon."""

from . import rnn

__all__ = ["rnn"]
