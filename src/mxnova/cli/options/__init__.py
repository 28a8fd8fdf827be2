# SPDX-License-Identifier: Apache-2.0
"""Options of the commands: module `NAME` holds the `command` of that name."""
