# SPDX-License-Identifier: Apache-2.0
"""Stores of many processes, on this machine or on several: see `stores`."""
