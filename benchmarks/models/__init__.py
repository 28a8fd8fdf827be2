# SPDX-License-Identifier: Apache-2.0
"""Networks, each written once.

A network is a function of a `Net` and its input. The nets are `SymbolNet`, `TorchNet`, `OnnxNet`
and `ParameterShapes`.
"""
