# SPDX-License-Identifier: Apache-2.0
"""Parsers against damaged and hostile input."""
