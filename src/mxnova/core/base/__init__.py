# SPDX-License-Identifier: Apache-2.0
"""What everything stands on: errors, dtypes, shapes, typed parameters, registry, scopes, environment."""
