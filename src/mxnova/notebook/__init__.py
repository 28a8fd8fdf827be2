# SPDX-License-Identifier: Apache-2.0
"""What shows the progress of training in notebooks."""

from . import callback

__all__ = ["callback"]
