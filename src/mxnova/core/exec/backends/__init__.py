# SPDX-License-Identifier: Apache-2.0
"""Ways of running a lowered graph, one module each."""
