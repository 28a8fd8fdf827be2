# SPDX-License-Identifier: Apache-2.0
"""What exit statuses of workers mean to whoever has started them."""

__all__ = ["RESTART"]

RESTART = 75  # EX_TEMPFAIL of sysexits.h: start me again
