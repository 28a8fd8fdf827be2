# SPDX-License-Identifier: Apache-2.0
"""Where the library is, and its version."""
