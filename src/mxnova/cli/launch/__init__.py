# SPDX-License-Identifier: Apache-2.0
"""``mxnova launch``: a command in many processes, here or on several machines."""

from .launch import launch

__all__ = ["launch"]
