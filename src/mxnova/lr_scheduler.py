# SPDX-License-Identifier: Apache-2.0
"""Learning rates as functions of the number of updates."""
