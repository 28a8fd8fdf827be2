# SPDX-License-Identifier: Apache-2.0
"""Files of arrays, symbols, records and tables that are built as their formats want, and that lie.

An input is a line with the kind of the file, then its bytes.
"""

from __future__ import annotations

import json
import random
import struct
from typing import Any

from mxnova.formats import recordio

from . import parsers

__all__ = ["attack", "make", "seeds"]

_SIZES = (0, 1, 2, 3, 7, 255, 1 << 16, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 33,
          1 << 40, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)  # fmt: skip
_SMALL = (0, 1, 2, 3)


def seeds() -> list[bytes]:
    """A good file of each kind."""
    symbol = {"nodes": [_node("null", "x", [])], "arg_nodes": [0], "heads": [[0, 0, 0]]}
    good = {
        "params": parsers.params_seeds()[1],
        "symbol": json.dumps(symbol).encode(),
        "records": recordio.encode(recordio.pack((0, 1.5, 1, 0), b"x")),
        "index": b"0\t0\n",
        "csv": b"1,2\n3,4\n",
        "libsvm": b"0 0:1 2:2.5\n",
    }
    return [_named(kind, content) for kind, content in good.items()]


def _named(kind: str, content: bytes) -> bytes:
    return kind.encode() + b"\n" + content


def make(rng: random.Random) -> bytes:
    """A file of one kind."""
    kind = rng.choice(list(_MAKERS))
    return _named(kind, _MAKERS[kind](rng))


# Arrays -------------------------------------------------------------------------------------------


def _params(rng: random.Random) -> bytes:
    n = rng.choice((1, 1, 2, 3))
    arrays = b"".join(_array(rng) for _ in range(n))
    lengths = [rng.choice((1, 1, 1, *_SIZES)) for _ in range(n)]
    names = b"".join(struct.pack("<Q", length) + b"a" for length in lengths)
    counts = [rng.choice((n, n, n, *_SIZES)) for _ in range(2)]
    header = struct.pack("<QQQ", 0x112, 0, counts[0])
    return header + arrays + struct.pack("<Q", counts[1]) + names


def _array(rng: random.Random) -> bytes:
    stype = rng.choice((0, 0, 0, 1, 2, -1, 7))
    version = rng.choice((0xF993FAC9, 0xF993FAC9, 0xF993FACA, 0xF993FAC8))
    parts = [struct.pack("<I", version)]
    if version != 0xF993FAC8:
        parts.append(struct.pack("<i", stype))
        parts += [_shape(rng)] * (stype in (1, 2))
    parts += [_shape(rng), struct.pack("<iii", 1, 0, rng.choice((0, 0, 1, 2, 7, 12, 99)))]
    for _ in range({1: 1, 2: 2}.get(stype, 0)):
        parts += [struct.pack("<i", rng.choice((6, 6, 6, 4, 0))), _shape(rng)]
    return b"".join(parts) + bytes(rng.choice((0, 4, 24, 64)))


def _shape(rng: random.Random) -> bytes:
    n_axes = rng.choice((0, 1, 2, 2, 3, 33))
    sizes = [rng.choice(_SMALL * 3 + _SIZES) % (1 << 64) for _ in range(n_axes)]
    told = n_axes if rng.random() < 0.9 else rng.choice(_SIZES) % (1 << 32)
    return struct.pack(f"<I{n_axes}Q", told, *sizes)


# Symbols ------------------------------------------------------------------------------------------


def _node(op: str, name: str, inputs: list[list[int]], **attrs: Any) -> dict[str, Any]:
    return {
        "op": op,
        "name": name,
        "attrs": {k: str(v) for k, v in attrs.items()},
        "inputs": inputs,
    }


def _symbol(rng: random.Random) -> bytes:
    nodes = [_node("null", "data", [])]
    link = rng.choice(_LINKS)
    for i in range(rng.choice((1, 2, 5, 30, 300))):
        nodes.append(link(rng, i))
    heads = [[len(nodes) - 1, rng.choice((0, 0, 0, 1, 1 << 31)), 0]] * rng.choice((1, 1, 2, 1000))
    arguments = rng.choice(([0], [0], [], [1 << 31]))
    return json.dumps({"nodes": nodes, "arg_nodes": arguments, "heads": heads}).encode()


_LINKS = (  # nodes in a row, each of the one before: twice as much, as many outputs, as large a size
    lambda rng, i: _node("elemwise_add", f"n{i}", [[i, 0, 0]] * 2),
    lambda rng, i: _node(
        "Concat", f"n{i}", [[i, 0, 0]] * 2, num_args=rng.choice((2, 2, 2, 9)), dim=0
    ),
    lambda rng, i: _node("tile", f"n{i}", [[i, 0, 0]], reps=(rng.choice(_SIZES),) * 2),
    lambda rng, i: _node("SliceChannel", f"n{i}", [[i, 0, 0]], num_outputs=rng.choice(_SIZES)),
    lambda rng, i: _node("Reshape", f"n{i}", [[i, 0, 0]], shape=(-1, rng.choice(_SIZES), -4)),
    lambda rng, i: _node("expand_dims", f"n{i}", [[i, 0, 0]], axis=rng.choice((0, -1, 1 << 31))),
    lambda rng, i: _node(
        "Pad", f"n{i}", [[i, 0, 0]], mode="edge", pad_width=(rng.choice(_SIZES),) * 8
    ),
    lambda rng, i: _node(
        "_zeros", f"n{i}", [], shape=(rng.choice(_SIZES),) * rng.choice((1, 4, 40))
    ),
    lambda rng, i: _node(
        "transpose", f"n{i}", [[i, 0, 0]], axes=tuple(range(rng.choice((4, 4000))))
    ),
    lambda rng, i: _node(
        "einsum", "same", [[rng.choice((i, i + 1, 1 << 40)), 0, 0]], subscripts="i->i"
    ),
)


# Records ------------------------------------------------------------------------------------------


def _records(rng: random.Random) -> bytes:
    return b"".join(_part(rng) for _ in range(rng.choice((1, 2, 3, 50))))


def _part(rng: random.Random) -> bytes:
    """A part of a record: how it goes on, how long it says it is, and a header of many labels."""
    labels = rng.choice((0, 0, 1, 5, *_SIZES)) % (1 << 32)
    payload = struct.pack("<IfQQ", labels, 1.0, rng.choice(_SIZES), 0) + bytes(
        rng.choice((0, 8, 20))
    )
    payload = rng.choice((payload, payload, recordio.MAGIC * 3, b""))
    length = rng.choice((len(payload),) * 6 + _SIZES) % (1 << 29)
    flags = rng.choice((0, 0, 0, 1, 2, 3, 7)) << 29
    padding = bytes(-len(payload) % 4)
    return recordio.MAGIC + struct.pack("<I", flags | length) + payload + padding


def _index(rng: random.Random) -> bytes:
    numbers = (*_SIZES, -1, "x", "", "9" * 5000, "0x1", "\u0663")
    lines = (
        f"{rng.choice(numbers)}\t{rng.choice(numbers)}\n" for _ in range(rng.choice((1, 5, 500)))
    )
    return "".join(lines).encode()


# Tables -------------------------------------------------------------------------------------------

_WORDS = ("1", "1", "2.5", "-3", "", "nan", "inf", "1e400", "1e-400", "9" * 400, "0x10", "1_0", '"1"',
          "1 2", "\u0661", "\0", "--1", "1,", "True", "1" + "0" * 5000 + "e-5000")  # fmt: skip
_ENDS = ("\n", "\n", "\r\n", "\r", "\n\n", "", "\x0b", "\u2028")


def _csv(rng: random.Random) -> bytes:
    n_columns = rng.choice((1, 2, 3, 5000))
    lines = []
    for _ in range(rng.choice((1, 2, 9, 100 if n_columns < 9 else 2))):
        words = rng.choices(_WORDS[: rng.choice((2, 4, len(_WORDS)))], k=n_columns)
        lines.append(",".join(words) + rng.choice(_ENDS))
    return "".join(lines).encode()


def _libsvm(rng: random.Random) -> bytes:
    places = (0, 1, 9, 10, -1, *_SIZES, "", "x", "1:1", "9" * 400)
    lines = []
    for _ in range(rng.choice((1, 2, 50))):
        n = rng.choice((0, 1, 2, 2, 300))
        entries = (
            f"{rng.choice(places[: rng.choice((3, 3, 30))])}:{rng.choice(_WORDS)}" for _ in range(n)
        )
        lines.append(" ".join((rng.choice(_WORDS), *entries)) + rng.choice(_ENDS))
    return "".join(lines).encode()


_MAKERS = {
    "params": _params,
    "symbol": _symbol,
    "records": _records,
    "index": _index,
    "csv": _csv,
    "libsvm": _libsvm,
}
_READERS = {
    "params": parsers.read_params,
    "symbol": parsers.infer_symbol,
    "records": parsers.read_recordio,
    "index": parsers.read_index,
    "csv": parsers.read_csv,
    "libsvm": parsers.read_libsvm,
}


def attack(data: bytes) -> None:
    """Reads a file as its kind is read."""
    kind, _, content = data.partition(b"\n")
    _READERS[kind.decode()](content)
