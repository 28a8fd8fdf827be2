# SPDX-License-Identifier: Apache-2.0
"""Metrics of training and evaluation."""
