# SPDX-License-Identifier: Apache-2.0
"""The pages of README and docs as tests: their blocks run, their links lead somewhere."""
