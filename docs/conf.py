# SPDX-License-Identifier: Apache-2.0
"""How Sphinx builds the site: scripts/docs."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "src"), str(HERE)]

import mxnova  # noqa: E402

project = "mxnova"
author = copyright = "the mxnova developers"
version = release = mxnova.__version__

extensions = ["myst_parser", "sphinx_copybutton", "_site.api", "_site.plain_text"]
exclude_patterns = ["_site", "**/__pycache__"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # blocks that show a part of a file

html_theme = "furo"
html_title = f"mxnova {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("tables.js", {"defer": "defer"})]
html_favicon = "_static/icon.svg"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#8a3b12", "color-brand-content": "#8a3b12"},
    "dark_css_variables": {"color-brand-primary": "#f0a070", "color-brand-content": "#f0a070"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
linkcheck_timeout = 20
linkcheck_retries = 3
linkcheck_ignore: list[str] = []  # none needs it: addresses of examples are code, not links
