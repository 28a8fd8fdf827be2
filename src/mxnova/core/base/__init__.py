# SPDX-License-Identifier: Apache-2.0
"""What all else stands on: errors, dtypes, shapes, typed parameters, scopes, environment."""
