# SPDX-License-Identifier: Apache-2.0
"""The C interface: MXNet's `libmxnet.so`, with Python inside.

`build` makes the library. Started by whoever calls its first function, it imports `library`, whose
modules, one for each family of functions, have a Python function for each of C's.
"""
