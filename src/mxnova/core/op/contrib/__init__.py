# SPDX-License-Identifier: Apache-2.0
"""Operators that MXNet kept under contrib."""
