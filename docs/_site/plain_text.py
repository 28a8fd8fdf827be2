# SPDX-License-Identifier: Apache-2.0
"""The site for programs that read text: llms.txt, llms-full.txt and the source of every page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

TOCTREE = re.compile(r"^```\{toctree\}\n.*?^```\n?", re.S | re.M)
COMMENT = re.compile(r"<!--.*?-->\n?", re.S)
LISTED_ONLY = ("api/", "operators/", "design/")  # reference: llms-full.txt has no room for it
ABOUT = """\
# mxnova

> mxnova is an implementation of Apache MXNet 1.x on today's Python, NumPy and PyTorch. It reads and
> writes MXNet's files, runs and trains its models, and provides its Python API.
"""


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}


def write(app: Sphinx, exception: Exception | None) -> None:
    """Writes the text files beside the pages."""
    if exception is not None or app.builder.name != "html":
        return
    names = [name for name in in_order(app) if (Path(app.srcdir) / f"{name}.md").is_file()]
    texts = {name: text_of(Path(app.srcdir) / f"{name}.md") for name in names}
    for name, text in texts.items():
        (Path(app.outdir) / f"{name}.md").write_text(text, "utf-8")
    lines = [f"- [{title(t)}]({n}.md): {first_sentence(t)}" for n, t in texts.items()]
    (Path(app.outdir) / "llms.txt").write_text("\n".join([ABOUT, *lines, ""]), "utf-8")
    full = [text for name, text in texts.items() if not name.startswith(LISTED_ONLY)]
    (Path(app.outdir) / "llms-full.txt").write_text("\n\n".join([ABOUT, *full]), "utf-8")


def in_order(app: Sphinx) -> list[str]:
    """Pages in the order of the tables of contents."""
    included = app.env.toctree_includes

    def below(name: str) -> list[str]:
        return [name, *(found for child in included.get(name, []) for found in below(child))]

    return below("index")


def text_of(path: Path) -> str:
    """A page without what only Sphinx reads."""
    return COMMENT.sub("", TOCTREE.sub("", path.read_text("utf-8"))).strip() + "\n"


def title(text: str) -> str:
    """The heading of a page."""
    return text.partition("\n")[0].lstrip("# ")


def first_sentence(text: str) -> str:
    """What a page says first."""
    paragraphs = (p for p in text.split("\n\n")[1:] if p[:1] not in "#|`-<")
    sentence = re.split(r"(?<=[.:])\s", next(paragraphs, ""), maxsplit=1)[0]
    return " ".join(sentence.split())
