# SPDX-License-Identifier: Apache-2.0
"""First values of parameters."""
