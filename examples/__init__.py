# SPDX-License-Identifier: Apache-2.0
"""Programs as MXNet's users write them, on data that needs no download.

Each is run by ``python -m examples.NAME``, and ends with a figure that would show a mistake.
"""
