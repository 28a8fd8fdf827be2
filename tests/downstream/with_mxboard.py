# SPDX-License-Identifier: Apache-2.0
"""MXBoard writes events for TensorBoard; they are counted in its file."""

import struct
import tempfile
from pathlib import Path

import mxnet as mx
from mxboard import SummaryWriter
from mxboard.proto.event_pb2 import Event

with tempfile.TemporaryDirectory() as folder:
    with SummaryWriter(logdir=folder) as writer:
        for step in range(10):
            writer.add_scalar("loss", mx.nd.array([1 / (step + 1)]), step)
        writer.add_histogram("weight", mx.nd.random.normal(shape=(100,)), bins=10)
    data = next(Path(folder).iterdir()).read_bytes()

kinds = []
while data:
    (length,) = struct.unpack("<Q", data[:8])
    event = Event.FromString(data[12 : 12 + length])
    kinds += [value.WhichOneof("value") for value in event.summary.value]
    data = data[16 + length :]
print(f"{kinds.count('simple_value')} scalars, {kinds.count('histo')} histogram")
