# SPDX-License-Identifier: Apache-2.0
"""Programs: a symbol checked, lowered to Python code and run."""
