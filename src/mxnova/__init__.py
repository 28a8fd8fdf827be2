# SPDX-License-Identifier: Apache-2.0
"""MXNet 1.x on today's Python."""
