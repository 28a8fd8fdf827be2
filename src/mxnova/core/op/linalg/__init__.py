# SPDX-License-Identifier: Apache-2.0
"""Linear algebra on the last two axes of arrays."""
