# SPDX-License-Identifier: Apache-2.0
"""Additions to Gluon."""

from . import data, rnn

__all__ = ["data", "rnn"]
