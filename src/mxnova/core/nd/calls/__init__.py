# SPDX-License-Identifier: Apache-2.0
"""Calls of operators on arrays: their plan, the dispatcher, and fast paths made from one template."""
