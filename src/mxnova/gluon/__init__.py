# SPDX-License-Identifier: Apache-2.0
"""Networks as objects: blocks, parameters, layers, losses, data, training."""
