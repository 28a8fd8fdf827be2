# SPDX-License-Identifier: Apache-2.0
"""What is measured: a module for each subject, with a `SUBJECT`."""
