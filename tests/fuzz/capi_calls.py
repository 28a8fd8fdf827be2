# SPDX-License-Identifier: Apache-2.0
"""Calls of every function of the C interface with arguments that should not be.

What C can check is wrong: null pointers, handles that were freed, of another kind or of nobody,
counts that are negative, too large, or greater than what they count. What it cannot is right:
pointers are null or lead to memory that is large enough for the counts that are given with them.
Anything but a status is a finding: the process that calls then ends. Several threads call at once,
with handles that all of them know.

    python -m tests.fuzz.capi_calls LIBRARY SEED CALLS THREADS LOG
"""

from __future__ import annotations

import copy
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cffi import FFI

import mxnova
from mxnova.capi.declarations import declarations

# Functions whose contract is an address: they would read what is there.
LEFT_OUT = {
    "MXNDArrayFromDLPack",
    "MXNDArrayFromDLPackEx",
    "MXNDArrayCallDLPackDeleter",
    "NNAPISetLastError",  # has no status; the text may be anything
}
ROOM = 4096  # bytes at each pointer
ITEMS = 64  # of lists
FIRST = 0x4D58_0000_0000  # of the numbers that are given as handles
MOST_HANDLES = 200
_POINTERS = ("ctx_handle", "prop_handle", "dlpack", "pregister")
_LISTS = ("const_vars_handle", "mutable_vars_handle")
_COUNTS = re.compile(r"num|len|count|ndim|size")
_THREADS = "thread_num"
TEXTS = (
    *(b"", b"data", b"relu", b"x", b"1", b"-1", b"(2,2)", b"None", b"true", b"\xff\xfe", b"%s%n"),
    *(b"FullyConnected", b"num_hidden", b"__shape__", b"local", b"device", b"float32", b"write"),
    *(b'{"nodes": []}', b"{", b"_npi.zeros", b"csr", b"int8", b"full", b"a" * 5000),
)


class Caller:
    """Calls functions, with arguments out of pools.

    Args:
        library: the path of the library.
        seed: of the choices.
    """

    def __init__(self, library: str, seed: int) -> None:
        self.chance = random.Random(seed)
        declared = declarations()
        self.ffi = FFI()
        self.ffi.cdef("\n".join([declared.types, *declared.functions.values()]))
        self.library = self.ffi.dlopen(library)
        self.names = sorted(declared.functions.keys() - LEFT_OUT)
        self.parameters = {n: _parameter_names(declared.functions[n]) for n in self.names}
        self.types = {n: self.ffi.typeof(getattr(self.library, n)).args for n in self.names}
        self.asynchronous = self.ffi.typeof("EngineAsyncFunc")
        self.functions: dict[Any, Any] = {}
        self.turn: list[str] = []  # functions that are still to be called before any again
        self.handles = [0, 1, 16, FIRST, 2**63]
        self.texts = [self.ffi.new(f"char[{max(ROOM, len(t) + 1)}]", t) for t in TEXTS]
        self.make_good_handles()

    def beside(self, seed: int) -> Caller:
        """Another with the same handles, which calls in a thread of its own."""
        made = copy.copy(self)
        made.chance, made.turn = random.Random(seed), []
        return made

    def make_good_handles(self) -> None:
        """Handles of every kind, the last of each freed."""
        lib, ffi = self.library, self.ffi
        out, shape = ffi.new("uintptr_t *"), ffi.new("uint32_t[]", [2, 2])

        def kept(name: str, *arguments: Any) -> int:
            if getattr(lib, name)(*arguments, out) != 0:
                raise RuntimeError(f"{name}: {ffi.string(lib.MXGetLastError()).decode()}")
            self.handles.append(out[0])
            return int(out[0])

        for _ in range(4):
            array = kept("MXNDArrayCreate", shape, 2, 1, 0, 0)
        lib.MXNDArrayFree(array)
        variable = kept("MXSymbolCreateVariable", b"data")
        operator = kept("NNGetOpHandle", b"relu")
        kept("NNGetOpHandle", b"FullyConnected")
        symbol = kept("MXSymbolCreateAtomicSymbol", operator, 0, ffi.NULL, ffi.NULL)
        inputs = ffi.new("uintptr_t[]", [variable])
        lib.MXSymbolCompose(symbol, b"r", 1, ffi.NULL, inputs)
        kept("MXCreateCachedOp", symbol)
        values, gradients = (ffi.new("uintptr_t[]", [given]) for given in (self.handles[5], 0))
        requests = ffi.new("uint32_t[]", [0])
        arrays = (1, values, gradients, requests, 0, ffi.NULL)
        kept("MXExecutorBind", symbol, 1, 0, *arrays)
        name = ffi.new("char[]", b"data")
        names = ffi.new("char *[]", [name])
        begins = ffi.new("uint32_t[]", [0, 2])
        text = ffi.new("char **")
        lib.MXSymbolSaveToJSON(symbol, text)
        self.texts.append(ffi.new("char[]", ffi.string(text[0])))
        for _ in range(2):
            shapes = (1, names, begins, shape)
            predictor = kept("MXPredCreate", text[0], ffi.NULL, 0, 1, 0, *shapes)
        lib.MXPredFree(predictor)
        kept("MXKVStoreCreate", b"local")
        kept("MXProfileCreateDomain", b"domain")
        kept("MXRecordIOWriterCreate", b"fuzz.rec")
        kept("MXRecordIOReaderCreate", b"fuzz.rec")
        count, listed = ffi.new("uint32_t *"), ffi.new("uintptr_t **")
        lib.MXListDataIters(count, listed)
        self.handles.append(listed[0][0])

    # Arguments -----------------------------------------------------------------------------------

    def argument(self, name: str, type_: Any, kept: list[Any]) -> Any:
        """A value for a parameter; what it points to goes into `kept`."""
        if type_.kind == "primitive":
            return self.number(name, type_, kept)
        if type_.kind == "function":
            return self.function(type_)
        if self.chance.random() < 0.1:
            return self.ffi.NULL
        memory = self.memory(type_, kept)
        kept.append(memory)
        return self.ffi.cast(type_, memory)

    def number(self, name: str, type_: Any, kept: list[Any]) -> Any:
        chance = self.chance
        if type_.cname == "uintptr_t":
            if name in _POINTERS:
                return 0
            if name in _LISTS:
                kept.append(self.ffi.new("uintptr_t[]", [self.handle() for _ in range(ITEMS)]))
                return int(self.ffi.cast("uintptr_t", kept[-1]))
            return self.handle()
        if type_.cname in ("float", "double"):
            return chance.uniform(-2, 2)
        if type_.cname in ("_Bool", "bool"):
            return chance.random() < 0.5
        small = chance.choice([0, 1, 1, 2, 2, 3, 4, 7, ITEMS])
        if name == _THREADS:
            return small
        if type_.cname.startswith(("u", "size_t")):
            most = 2 ** (8 * self.ffi.sizeof(type_)) - 1
            lies = _COUNTS.search(name) and "bytes" not in name and "size" not in name
            return most if lies and chance.random() < 0.1 else small
        return -small if chance.random() < 0.15 else small

    def handle(self) -> int:
        return self.chance.choice(self.handles)

    def memory(self, type_: Any, kept: list[Any]) -> Any:
        """Memory that a pointer of this type leads to."""
        ffi, chance, item = self.ffi, self.chance, type_.item
        if item.cname == "uintptr_t":
            return ffi.new("uintptr_t[]", [self.handle() for _ in range(ITEMS)])
        if item.cname == "char":
            return chance.choice(self.texts)
        if item.cname == "char *":
            texts = [chance.choice([*self.texts, ffi.NULL]) for _ in range(ITEMS)]
            return ffi.new("char *[]", texts)
        if item.kind == "primitive" and item.cname not in ("float", "double", "_Bool"):
            signed = not item.cname.startswith(("u", "size_t"))
            values = [chance.choice([0, 1, 2, 3, 4, -1 if signed else 5]) for _ in range(ITEMS)]
            return ffi.new(f"{item.cname}[{ROOM}]", values)
        return ffi.new(f"char[{ROOM}]")  # zeros: null pointers, empty structs

    def function(self, type_: Any) -> Any:
        """A null pointer, or a function that says that it failed."""
        if self.chance.random() < 0.3:
            return self.ffi.NULL
        if type_ not in self.functions:
            result = None if type_.result.kind == "void" else 0
            does = self.complete if type_ == self.asynchronous else lambda *_: result
            self.functions[type_] = self.ffi.callback(type_, does)
        return self.functions[type_]

    def complete(self, _context: Any, on_complete: Any, _param: Any) -> None:
        """What an asynchronous function must do in the end."""
        function, engine, param = self.ffi.cast("void **", on_complete)[0:3]
        self.ffi.cast(self.asynchronous, function)(engine, param, self.ffi.NULL)

    # Calls ---------------------------------------------------------------------------------------

    def call(self, tell: Callable[[str], None]) -> int:
        """Calls a function; gives its status."""
        if not self.turn:
            self.turn = self.chance.sample(self.names, len(self.names))
        name = self.turn.pop()
        kept: list[Any] = []
        pairs = zip(self.parameters[name], self.types[name], strict=True)
        arguments = [self.argument(n, t, kept) for n, t in pairs]
        tell(f"{name}({', '.join(map(str, arguments))})")
        status = getattr(self.library, name)(*arguments)
        if isinstance(status, int):
            if status not in (0, -1):
                raise AssertionError(f"{name} gives {status}")
            if status == -1 and not self.ffi.string(self.library.MXGetLastError()):
                raise AssertionError(f"{name} fails without a text")
        good = isinstance(status, int) and status == 0
        if good:
            self.remember(self.types[name], arguments)
        return int(good)

    def remember(self, types: Any, arguments: list[Any]) -> None:
        """Keeps what may be new handles, in place of others once there are many."""
        for type_, argument in zip(types, arguments, strict=True):
            if type_.cname == "uintptr_t *" and argument != self.ffi.NULL:
                number = argument[0]
                if FIRST < number < 2 * FIRST and number not in self.handles:
                    if len(self.handles) < MOST_HANDLES:
                        self.handles.append(number)
                    else:
                        self.handles[self.chance.randrange(MOST_HANDLES)] = number


def _parameter_names(declaration: str) -> list[str]:
    inside = declaration[declaration.index("(") + 1 : declaration.rindex(")")].strip()
    if inside == "void":
        return []
    return [re.findall(r"\w+", part)[-1] for part in inside.split(",")]


def run(library: Path, seed: int, calls: int, threads: int, folder: Path, patience: float) -> int:
    """Calls so many functions in a process of its own; gives how many of them did something.

    Raises:
        AssertionError: the process did not end well; the text has the last call of each thread.
        TimeoutExpired: a call did not return.
    """
    log, root = folder / "last_call", Path(__file__).resolve().parents[2]
    paths = [str(root), str(Path(mxnova.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    arguments = [str(library), str(seed), str(calls), str(threads), str(log)]
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.capi_calls", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=patience, check=False,
    )  # fmt: skip
    if done.returncode:
        last = log.read_text().strip() if log.exists() else "no call"
        raise AssertionError(f"status {done.returncode} after {last}\n{done.stderr[-2000:]}")
    return int(done.stdout.split()[-1])


LINE = 1000  # bytes of the log for each thread
SWITCH = 1e-4  # seconds until another thread's turn, 5e-3 elsewhere


def main(library: str, seed: str, calls: str, threads: str, log: str) -> int:
    """Calls so many functions; the last call of each thread stands in the log."""
    sys.setswitchinterval(SWITCH)
    first, n_threads, path = Caller(library, int(seed)), int(threads), Path(log)
    others = [first.beside(hash((int(seed), i))) for i in range(1, n_threads)]
    with path.open("wb", buffering=0) as file:

        def share(i: int, caller: Caller) -> int:
            def tell(text: str) -> None:
                line = text.encode()[: LINE - 1].ljust(LINE - 1) + b"\n"
                os.pwrite(file.fileno(), line, i * LINE)

            return sum(caller.call(tell) for _ in range(int(calls) // n_threads))

        with ThreadPoolExecutor(n_threads) as pool:
            print(sum(pool.map(share, range(n_threads), [first, *others])))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
