# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions, written once for arrays and symbols."""
