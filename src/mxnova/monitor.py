# SPDX-License-Identifier: Apache-2.0
"""A monitor of the arrays inside executors and blocks."""
