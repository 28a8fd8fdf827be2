# SPDX-License-Identifier: Apache-2.0
"""Operators that arrange, select, sort and multiply arrays."""
