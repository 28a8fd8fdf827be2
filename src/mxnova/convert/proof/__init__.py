# SPDX-License-Identifier: Apache-2.0
"""Whether two models compute the same, and which node is the first that does not."""

from .verification import Verification, verify

__all__ = ["Verification", "verify"]
