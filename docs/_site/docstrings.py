# SPDX-License-Identifier: Apache-2.0
"""Docstrings in Google's style as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

__all__ = ["markdown", "prose", "sections", "summary"]

SECTION = re.compile(r"^(Args|Attributes|Example|Examples|Raises|Returns|Yields|Note):$")
TITLES = {"Args": "Arguments", "Example": "Example", "Examples": "Example"}
LISTS = ("Args", "Attributes", "Raises")
ENTRY = re.compile(r"(\**[\w, .*]+?)(?: \(([^)]*)\))?:(?:\s+|$)", re.S)


def sections(doc: str) -> Iterator[tuple[str, str]]:
    """(name, text) of what stands before the first section, with an empty name, and of each."""
    name, lines = "", list[str]()
    for line in doc.splitlines():
        found = SECTION.match(line)
        if found:
            yield name, textwrap.dedent("\n".join(lines)).strip("\n")
            name, lines = found[1], []
        elif name and line and not line.startswith(" "):
            yield name, textwrap.dedent("\n".join(lines)).strip("\n")
            name, lines = "", [line]
        else:
            lines.append(line)
    yield name, textwrap.dedent("\n".join(lines)).strip("\n")


def markdown(doc: str) -> list[str]:
    """Blocks of Markdown."""
    blocks = []
    for name, text in sections(doc):
        if not text:
            continue
        if name:
            blocks.append(f"**{TITLES.get(name, name)}**")
        if name in LISTS:
            blocks.append("\n".join(map(entry, entries(text))))
        else:
            blocks += paragraphs(text)
    return blocks


def entries(text: str) -> list[str]:
    """The entries of a list of arguments: lines that are not indented start one."""
    return [" ".join(e.split()) for e in re.split(r"\n(?=\S)", text) if e.strip()]


def entry(text: str) -> str:
    """One argument as an item of a list."""
    found = ENTRY.match(text)
    if found is None:
        return f"- {prose(text)}"
    type_ = f" ({prose(found[2])})" if found[2] else ""
    return f"- `{found[1]}`{type_}: {prose(text[found.end() :])}"


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, programs as fenced blocks."""
    session: list[str] = []
    for block in text.split("\n\n"):
        if block.lstrip().startswith(">>>"):
            session.append(textwrap.dedent(block))
            continue
        if session:
            yield fenced("pycon", "\n".join(session))
            session = []
        if block.startswith("    "):
            yield fenced("text", textwrap.dedent(block))
        elif block.strip():
            yield prose(block)
    if session:
        yield fenced("pycon", "\n".join(session))


def fenced(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def prose(text: str) -> str:
    """`text` with what Markdown would take for markup escaped, save in its pieces of code."""
    return re.sub(r"(`+[^`]+`+)|([*<])", lambda found: found[1] or "\\" + found[2], text)


def summary(doc: str | None) -> str:
    """The first sentence."""
    return prose(" ".join((doc or "").strip().split("\n\n")[0].split()))
