"""Calls every function with handles, pointers and counts that are wrong; run as a process.

    python fuzz_calls.py LIBRARY SEED ROUNDS

No function may crash or hang, and none may succeed where a handle is wrong. What C cannot check is
left out: pointers to memory that is not there, counts beyond it, tensors of DLPack that are none.
"""

import ctypes
import random
import re
import sys

from mxnova.capi.declarations import declarations

ROOM = 1 << 16
LEFT_OUT = {
    "MXNotifyShutdown",  # ends the process's work
    "MXKVStoreRunServer",  # serves until it is told to stop
    "MXSetNumOMPThreads",  # works, and changes all that follows
    "MXSetEnv",
    "MXSetIsNumpyShape",
}
DLPACK = {"MXNDArrayFromDLPack", "MXNDArrayFromDLPackEx", "MXNDArrayCallDLPackDeleter"}


def parameters(declaration):
    """The types of a function's arguments."""
    listed = declaration[declaration.index("(") + 1 : declaration.rindex(")")]
    return [] if listed.strip() == "void" else [p.strip() for p in listed.split(",")]


class Caller:
    def __init__(self, library, seed):
        self.library = library
        self.rng = random.Random(seed)
        self.memory = []
        self.handles = self.some_handles()

    def some_handles(self):
        """Live handles of several kinds, and one that was freed."""
        library, out = self.library, ctypes.c_void_p()
        made = []
        shape = (ctypes.c_uint32 * 2)(2, 3)
        for _ in range(2):
            library.MXNDArrayCreateEx(shape, 2, 1, 0, 0, 0, ctypes.byref(out))
            made.append(out.value)
        freed = made.pop()
        library.MXNDArrayFree(ctypes.c_void_p(freed))
        library.MXSymbolCreateVariable(b"x", ctypes.byref(out))
        made.append(out.value)
        library.NNGetOpHandle(b"relu", ctypes.byref(out))
        made.append(out.value)
        return [*made, freed, 0, 1, 0xDEADBEEF, 2**64 - 16]

    def argument(self, name, declared):
        """A value for an argument declared so."""
        rng = self.rng
        if name in DLPACK and "DLManagedTensorHandle dlpack" in declared:
            return ctypes.c_void_p(0)
        if "*" in declared:
            return self.pointer(declared)
        if re.search(r"\w+(Handle|Creator)\b", declared):
            return ctypes.c_void_p(rng.choice(self.handles))
        if re.search(r"Func\b|Callback\b|Updater\b|Controller\b|Deleter\b|PropCreator", declared):
            return ctypes.c_void_p(0)
        if "bool" in declared:
            return ctypes.c_bool(rng.random() < 0.5)
        if "size_t size" in declared:  # of memory that is there
            return ctypes.c_size_t(rng.choice([0, 1, 6, ROOM]))
        return ctypes.c_int64(rng.choice([0, 0, 1, 1, 2, 3, -1, 2**31 - 1, 2**40]))

    def pointer(self, declared):
        """Null, a text, or zeroed memory, which holds null pointers and zeros."""
        rng = self.rng
        if rng.random() < 0.25:
            return ctypes.c_void_p(0)
        if re.match(r"(const )?char \*\w+$", declared):
            words = [b"", b"x", b"(2,3)", b"relu", b"\xff\xfe", b"a" * 1000]
            return ctypes.c_char_p(rng.choice(words))
        memory = ctypes.create_string_buffer(ROOM)
        self.memory.append(memory)
        if rng.random() < 0.5 and re.search(r"Handle \*\w+$", declared):
            for i in range(8):
                value = rng.choice(self.handles)
                memory[8 * i : 8 * i + 8] = value.to_bytes(8, "little")
        return memory

    def call(self, name, declaration):
        arguments = [self.argument(name, p) for p in parameters(declaration)]
        function = getattr(self.library, name)
        function.restype = ctypes.c_int
        status = function(*arguments)
        assert status in (0, -1), f"{name} returned {status}"
        if status == -1:
            assert self.library.MXGetLastError(), f"{name} failed without a text"
        self.memory.clear()


def main(path, seed, rounds):
    library = ctypes.CDLL(path)
    library.MXGetLastError.restype = ctypes.c_char_p
    functions = {
        name: text
        for name, text in declarations().functions.items()
        if text.startswith("int ") and name not in LEFT_OUT
    }
    caller = Caller(library, int(seed))
    for _ in range(int(rounds)):
        for name, declaration in functions.items():
            sys.stderr.write(name + "\n")
            caller.call(name, declaration)
    sys.stdout.write(f"{len(functions)} functions\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
