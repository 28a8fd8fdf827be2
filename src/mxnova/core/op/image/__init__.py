# SPDX-License-Identifier: Apache-2.0
"""Operators on images (height, width, channels)."""
