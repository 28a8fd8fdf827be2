# SPDX-License-Identifier: Apache-2.0
"""Programs bound to arrays: executors, cached operators and how both are made."""
