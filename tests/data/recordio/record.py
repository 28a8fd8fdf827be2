# SPDX-License-Identifier: Apache-2.0
"""Writes payloads.json, and with MXNet 1.9.1 the files mxnet.rec and mxnet.idx that hold them.

Run with the Python that has MXNet 1.9.1 installed, without arguments.
"""

import json
import random
from pathlib import Path

from mxnet import recordio

MAGIC = bytes.fromhex("0a23d7ce")


def payloads():
    """Byte strings with the magic at the start, the end, twice in a row, and off its alignment."""
    yield from (b"", b"a", b"abcd", MAGIC, MAGIC * 2, b"abcd" + MAGIC, MAGIC + b"abcdefg" + MAGIC)
    yield from (b"ab" + MAGIC, b"abcd" + MAGIC[:3], b"abc" + MAGIC[:1] + MAGIC)
    pieces = (MAGIC, MAGIC[:2], MAGIC[2:], b"abcd", b"x", bytes(range(256)))
    generator = random.Random(1)
    for _ in range(40):
        yield b"".join(generator.choices(pieces, k=generator.randrange(8)))
    for label in (1.5, [1, 2, 3], -1):
        yield recordio.pack(recordio.IRHeader(0, label, 7, 2**40), b"payload")


if __name__ == "__main__":
    folder = Path(__file__).parent
    written = list(payloads())
    record = recordio.MXIndexedRecordIO(str(folder / "mxnet.idx"), str(folder / "mxnet.rec"), "w")
    for key, payload in enumerate(written):
        record.write_idx(key * 3, payload)
    record.close()
    (folder / "payloads.json").write_text(json.dumps([payload.hex() for payload in written]))
