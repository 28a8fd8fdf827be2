# SPDX-License-Identifier: Apache-2.0
"""Where graphs meet arrays: programs, passes, backends, executors, control flow."""
