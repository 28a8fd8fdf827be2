# SPDX-License-Identifier: Apache-2.0
"""Operators on 8-bit integers with a range of real numbers beside them."""
