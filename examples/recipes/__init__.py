# SPDX-License-Identifier: Apache-2.0
"""Models inside of other programs, a file each: see docs/recipes.md."""
