# SPDX-License-Identifier: Apache-2.0
"""A page of Markdown: its code blocks, headings and links.

``<!-- not run: REASON -->`` above a block leaves it out; ``<!-- needs: a, b -->`` anywhere names
packages without which the page is skipped. A block ``text`` below another one is what that prints.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PAGES", "ROOT", "Block", "Page"]

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```([\w{}]*)\n(.*?)^```$", re.S | re.M)
NOT_RUN = re.compile(r"<!-- not run: (.+?) -->\n+\Z", re.S)
NEEDS = re.compile(r"<!-- needs: (.+?) -->")
PART = re.compile(r"# (?:src|tests)/\S+\n")
LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        language: the word behind the fence.
        text: what is between the fences.
        line: of the opening fence.
        left_out: why it is not run, or None.
        printed: what it prints by the page, or None.
    """

    language: str
    text: str
    line: int
    left_out: str | None = None
    printed: str | None = None

    @property
    def is_part(self) -> bool:
        """Whether it shows a part of a file of the project."""
        return PART.match(self.text) is not None

    @property
    def file_name(self) -> str | None:
        """The name of the file that a reader is told to write it to."""
        found = re.match(r"# ([\w-]+\.py)\n", self.text)
        return found[1] if found else None


class Page:
    """A file of Markdown."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.relative_to(ROOT).as_posix()
        self.text = path.read_text("utf-8")

    @property
    def needs(self) -> list[str]:
        """Packages without which its blocks cannot run."""
        found = NEEDS.search(self.text)
        return found[1].split(", ") if found else []

    def blocks(self) -> list[Block]:
        """Its blocks in their order, without those that say what others print."""
        blocks: list[Block] = []
        end = 0
        for found in FENCE.finditer(self.text):
            language, text = found.groups()
            before = self.text[end : found.start()]
            if language == "text" and blocks and not before.strip():
                last = blocks[-1]
                blocks[-1] = Block(last.language, last.text, last.line, last.left_out, text)
            else:
                reason = NOT_RUN.search(before)
                line = self.text.count("\n", 0, found.start()) + 1
                blocks.append(Block(language, text, line, reason and " ".join(reason[1].split())))
            end = found.end()
        return blocks

    def runnable(self) -> list[Block]:
        """Those that the runner runs."""
        return [b for b in self.blocks() if b.left_out is None and b.language in RUNNABLE]

    def prose(self) -> str:
        """The page without its blocks and pieces of code."""
        return re.sub(r"(`+)[^`]+?\1", "``", FENCE.sub("", self.text))

    def anchors(self) -> set[str]:
        """Of its headings, and those written in HTML."""
        headings = re.findall(r"^#{1,6} (.+)$", FENCE.sub("", self.text), re.M)
        seen: Counter[str] = Counter()
        anchors = set(re.findall(r'<a (?:id|name)="([^"]+)"', self.text))
        for heading in headings:
            slug = slug_of(heading)
            anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
        return anchors

    def links(self) -> Iterator[tuple[Path, str]]:
        """(file, anchor) of each link to a file."""
        for target in LINK.findall(self.prose()):
            if not re.match(r"\w+:", target):
                file, _, anchor = target.partition("#")
                yield (self.path.parent / file).resolve() if file else self.path, anchor


RUNNABLE = ("python", "pycon", "sh")


def slug_of(heading: str) -> str:
    """The anchor that GitHub and MyST give a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", "").replace("\\", ""))
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


MADE_IN_BUILDS = ROOT / "docs" / "api"
FILES = [p for p in sorted((ROOT / "docs").rglob("*.md")) if MADE_IN_BUILDS not in p.parents]
ROOT_FILES = [
    ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT")
]
PAGES = [Page(path) for path in (*ROOT_FILES, *FILES)]
