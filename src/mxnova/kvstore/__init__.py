# SPDX-License-Identifier: Apache-2.0
"""Key-value stores: parameters that several devices train together."""
