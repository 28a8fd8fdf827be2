# SPDX-License-Identifier: Apache-2.0
"""Where graphs meet arrays: lowering, executors, control flow, backends."""
