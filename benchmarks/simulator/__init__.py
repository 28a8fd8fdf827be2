# SPDX-License-Identifier: Apache-2.0
"""How long a step of training takes on many machines: predicted from a few measured constants.

``python -m benchmarks.simulator`` measures the constants here, checks the predictions against real
runs of 1, 2, 4 and 8 processes, and predicts for 8 to 4,096 workers.
"""
