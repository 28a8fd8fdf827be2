# SPDX-License-Identifier: Apache-2.0
"""Names that code, shells, markup or terminals would obey, and names that generated code uses."""

from __future__ import annotations

__all__ = ["CANARY", "NAMES", "PIECES", "SEQUENCES", "is_quiet"]

CANARY = "mxnova_canary"
"""Whatever a name would run if it were code: it imports this module or makes this file."""

PAYLOADS = (
    f'training");__import__("{CANARY}");("',
    f"training');__import__('{CANARY}');('",
    f"x\n    __import__('{CANARY}')\n",
    f'"""\n__import__("{CANARY}")\n"""',
    f"'''\n__import__('{CANARY}')\n'''",
    f"__import__('{CANARY}')",
    f"{{__import__('{CANARY}')}}",
    f"$(touch {CANARY})", f"`touch {CANARY}`", f"; touch {CANARY} ;", f"| touch {CANARY}",
    f"<script>import('{CANARY}')</script>", f'" onload="{CANARY}', f"&{CANARY};", f"]]>{CANARY}<!--",
    f"{{% import {CANARY} %}}", f"@{CANARY}", f"#include <{CANARY}>",
)  # fmt: skip
SEQUENCES = (
    "\x1b[95;7mred", "\x1b]0;title\x07", "\x9b31m", "\x07", "\x08\x08", "\r", "\n", "\t", "\x7f", "\x85", "\u2028",
    "\u202etxt", "\u2066", "\u200b", "\ufeff", "\U000e0041",
)  # fmt: skip
WORDS = (
    # Python's keywords, soft keywords, builtins and special names
    "class", "lambda", "return", "None", "True", "def", "async", "match", "case", "type", "_", "print",
    "len", "input", "id", "min", "max", "int", "float", "list", "dict", "tuple", "super", "eval", "exec",
    "__import__", "__class__", "__init__", "__dict__", "__debug__", "__builtins__", "__name__",
    # what generated files and modules use
    "self", "torch", "nn", "F", "Model", "Path", "WEIGHTS", "load", "load_file", "forward", "training",
    "parameters", "_parameters", "_buffers", "_modules", "state_dict", "graph", "code", "meta", "x", "mod",
    "module", "args", "kwargs", "fx_pytree", "pytree", "device", "inf", "nan", "NoneType", "output",
    "_guards_fn", "_in_spec", "range_constraints", "validate_inputs", "p_fc_weight", "fc_weight_1",
    # arguments of functions that take values by name
    "is_train", "ctx", "shape", "dtype", "name", "names", "out", "grad_req", "group2ctx", "partial_shaping",
    "allow_up_sizing", "values", "feed", "data.1", "arg:w", "aux:w",
    # names that become one identifier
    "x-1", "x.1", "x_1", "x 1", "ª", "ﬁ", "fi", "é", "e", "名前", "__x", "_x", "0", "0_1", "a_0",
    # paths, formats and markup
    "../x", "/etc/passwd", "a/b", "a\\b", "C:\\x", "a'b", 'a"b', "a;b", "a,b", "a=b", "a:b", "a)b", "{0}", "{m}",
    "%s", "%(x)s", "$x", "[red]x[/]", "<b>x</b>", "&amp;", "<x>", "-x", "--help", "x" * 300, "*", "?", "~", ".",
)  # fmt: skip
NAMES = (*PAYLOADS, *(f"x{sequence}" for sequence in SEQUENCES), *WORDS)
"""Names that files of MXNet can contain."""

PIECES = (
    *NAMES,
    *SEQUENCES,
    "",
    " ",
    "/",
    ".",
    "-",
    "\\",
    '"',
    "'",
    "(",
    ")",
    "{",
    "}",
    "#",
    "\0",
    "\ud800",
)
"""Parts of names, some of which files cannot contain."""


def is_quiet(text: str) -> bool:
    """Return True if a terminal that shows `text` obeys nothing in it but ends of lines and tabs."""
    return all(character.isprintable() or character in "\n\t" for character in text)
