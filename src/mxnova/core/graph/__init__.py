# SPDX-License-Identifier: Apache-2.0
"""The Symbol world: nodes, composition, inference, JSON. No arrays."""
