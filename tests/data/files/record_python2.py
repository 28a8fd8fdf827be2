# SPDX-License-Identifier: Apache-2.0
"""Writes pickles as MXNet wrote them under Python 2.7, which runs this, with classes of its names."""

# ruff: noqa: UP004, UP031 - Python 2 needs them

import os
import pickle
import struct
import sys
import types

import cPickle

LONG_2 = 2**70 - 2**70 + 2
FOLDER = os.path.dirname(os.path.abspath(__file__))


def place(name, cls):
    """Makes `cls` importable under the name that the pickle stores."""
    module, cls.__name__ = name.rsplit(".", 1)
    cls.__module__ = module
    while module:
        sys.modules.setdefault(module, types.ModuleType(module))
        module = module.rpartition(".")[0]
    setattr(sys.modules[cls.__module__], cls.__name__, cls)
    return cls


class Array(object):
    def __init__(self, handle):
        self.handle = handle

    def __reduce__(self):
        return Array, (None,), {"handle": self.handle}


class Plain(object):
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def counted(n):
    header = struct.pack("<Iiiqiii", 0xF993FAC9, 0, 1, n, 1, 0, 0)
    values = struct.pack("<%df" % n, *range(n))
    return Array(bytearray(header + values))


place("mxnet.ndarray.NDArray", Array)
SGD = place("mxnet.optimizer.SGD", type("SGD", (Plain,), {}))
FactorScheduler = place("mxnet.lr_scheduler.FactorScheduler", type("F", (Plain,), {}))

states = {0: counted(3), 1: None, LONG_2: (counted(1), counted(2))}
scheduler = FactorScheduler(
    step=10**12, big=2**70, stop=True, nothing=None, steps=[1, (2, 3, 4, 5)]
)
names = {0: "w\xe9\n\\\"'", 1: b"\xd0\xb6\\u".decode("utf-8")}
optimizer = SGD(lr=0.1, wd=1e-30, idx2name=names, lr_scheduler=scheduler)
for protocol in (0, 1, 2):
    for kind, module in (("pickle", pickle), ("cpickle", cPickle)):
        path = os.path.join(FOLDER, "python2_%s%d.states" % (kind, protocol))
        with open(path, "wb") as file:
            file.write(module.dumps((states, optimizer), protocol))
