# SPDX-License-Identifier: Apache-2.0
"""Graphs in the words of other runtimes: what backends share that run groups of nodes as models.

`opset` has the words that such a runtime must know; `elementwise`, `arrangement`, `layers` and
`recurrent` say MXNet's operators in them, `graph` whole bodies, and `model_backend` decides which
nodes go there. What is left to a backend are the words themselves and running the model.
"""
