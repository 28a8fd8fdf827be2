# SPDX-License-Identifier: Apache-2.0
"""The first Python that the library runs; `build` puts the source of this file into it.

Nothing that goes wrong here may pass silently: cffi would let every function return 0.
"""

import os
import sys

ROOT = "@ROOT@"  # where the mxnova is that built the library


def _start() -> None:
    if "mxnova" not in sys.modules:
        sys.path.insert(0, ROOT)
        # A server's or scheduler's program goes on here: it calls MXKVStoreRunServer.
        role = os.environ.pop("DMLC_ROLE", None)
        try:
            import mxnova  # noqa: F401
        finally:
            sys.path.remove(ROOT)
            if role is not None:
                os.environ["DMLC_ROLE"] = role
    # Modules that Python read before there was a library hold on to C without it.
    for name in [n for n in sys.modules if f"{n}.".startswith("mxnova.capi.")]:
        del sys.modules[name]
    from mxnova.core.base.gc_pause import loading

    with loading():
        from mxnova.capi.library import start

        start()


def _fail(error: BaseException) -> None:
    from _mxnova_capi import ffi, lib

    lib.mxnova_restore()
    text = ffi.new("char[]", f"mxnova cannot start: {type(error).__name__}: {error}".encode())
    for name in dir(lib):
        if name in ("MXGetLastError", "NNGetLastError"):
            ffi.def_extern(name=name)(lambda: text)
        elif name.startswith(("MX", "NN")) and name != "NNAPISetLastError":
            ffi.def_extern(name=name)(lambda *_: -1)


if __name__ != "mxnova.capi.startup":
    try:
        _start()
    except BaseException as error:  # noqa: BLE001
        _fail(error)
