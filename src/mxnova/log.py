# SPDX-License-Identifier: Apache-2.0
"""Loggers with colored levels."""
