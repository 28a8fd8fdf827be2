# SPDX-License-Identifier: Apache-2.0
"""Layers of neural networks."""
