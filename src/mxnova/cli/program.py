# SPDX-License-Identifier: Apache-2.0
"""Where the options of ``mxnova run`` end, and those of the program begin.

A module beside the program comes before one of Python's with its name. So nothing is imported here
that Python has not imported by itself, and no parser of options.
"""

from __future__ import annotations

from types import SimpleNamespace

__all__ = ["FLAGS", "options_of", "without_program"]

Program = tuple[str | None, str | None, list[str]]  # script or module, and its arguments

FLAGS = {  # option -> default, and what it does
    "numpy-names": (True, "Restore names that NumPy removed, such as np.float (default: yes)."),
    "numpy-compat": (
        False,
        "Behave as NumPy before 2.0: arrays of asnumpy() with one element convert to numbers, and "
        "np.array(copy=False) copies where it must (default: no).",
    ),
}


def options_of(argv: list[str]) -> SimpleNamespace | None:
    """The options of ``mxnova run`` with a program; None where there is more to say than that."""
    if argv[:1] != ["run"]:
        return None
    words, program = without_program(argv[1:])
    values = {name: default for name, (default, _) in FLAGS.items()}
    for word in words:
        name = word.removeprefix("--").removeprefix("no-")
        if not word.startswith("--") or name not in FLAGS:
            return None
        values[name] = not word.startswith("--no-")
    if program[:2] == (None, None):
        return None
    flags = {name.replace("-", "_"): value for name, value in values.items()}
    script, module, args = program
    return SimpleNamespace(
        **flags, script=script, module=module, args=args, command="run", act=_act
    )


def _act(options: SimpleNamespace) -> None:
    from .run import run

    run(options)


def without_program(argv: list[str]) -> tuple[list[str], Program]:
    """Cuts off what stands behind ``run``'s own options: the program, and options of its own."""
    for i, word in enumerate(argv):
        if word == "--" and i + 1 < len(argv):
            return argv[:i], (argv[i + 1], None, argv[i + 2 :])
        if word == "-m" and i + 1 < len(argv):
            return argv[:i], (None, argv[i + 1], argv[i + 2 :])
        if word.startswith("-m") and len(word) > 2:
            return argv[:i], (None, word[2:], argv[i + 1 :])
        if word == "-" or not word.startswith("-"):
            return argv[:i], (word, None, argv[i + 1 :])
    return argv, (None, None, [])
