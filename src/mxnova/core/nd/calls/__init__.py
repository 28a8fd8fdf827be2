# SPDX-License-Identifier: Apache-2.0
"""Calls of operators on arrays: plan, dispatcher, and fast paths made from one template."""
