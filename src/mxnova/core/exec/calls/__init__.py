# SPDX-License-Identifier: Apache-2.0
"""Operators that call back: graphs inside nodes (control flow) and operators written in Python."""
