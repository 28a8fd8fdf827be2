# SPDX-License-Identifier: Apache-2.0
"""The array world: NDArray, its storage types, indexing, eager invocation. No graphs."""
