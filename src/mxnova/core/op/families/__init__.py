# SPDX-License-Identifier: Apache-2.0
"""Operators that come in families: one table per family, one row per operator."""
