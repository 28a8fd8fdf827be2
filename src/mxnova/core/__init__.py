# SPDX-License-Identifier: Apache-2.0
"""The system under the public API: base, runtime, operators, graphs, arrays, execution."""
