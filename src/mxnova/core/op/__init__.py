# SPDX-License-Identifier: Apache-2.0
"""Operators: tensors in, tensors out. The only code with mathematics."""
