# SPDX-License-Identifier: Apache-2.0
"""Graph rewrites, one a module: each takes a symbol and gives one that computes the same."""
