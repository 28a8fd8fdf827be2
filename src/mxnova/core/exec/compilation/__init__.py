# SPDX-License-Identifier: Apache-2.0
"""How a program runs for inference and for training, and a report on what became of it."""
