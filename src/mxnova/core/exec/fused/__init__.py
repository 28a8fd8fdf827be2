# SPDX-License-Identifier: Apache-2.0
"""Private operators that passes make of several nodes, and MXNet's fused layers for oneDNN."""
