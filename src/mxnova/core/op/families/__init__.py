# SPDX-License-Identifier: Apache-2.0
"""Families of operators: functions element by element, reductions, new arrays, casts."""
