# SPDX-License-Identifier: Apache-2.0
"""Images: datasets and transformations."""
