# SPDX-License-Identifier: Apache-2.0
"""``mxnova doctor``: what mxnova has to run on, and what is wrong with it."""

from .doctor import doctor

__all__ = ["doctor"]
