# SPDX-License-Identifier: Apache-2.0
"""How fast mxnova is beside torch, MXNet 1.9.1 and ONNX Runtime: ``python -m benchmarks``.

What runs inside a peer's process (everything but `__main__`, `harness`, `peers` and `report`) keeps
to Python 3.8 and NumPy, because that is what an interpreter that can import MXNet may have.
"""
