# SPDX-License-Identifier: Apache-2.0
"""The foundation: errors, dtypes, shapes, typed parameters, scopes, environment variables."""
