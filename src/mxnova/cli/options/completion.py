# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova completion``."""

from __future__ import annotations

import click

from ..command import Argument, Command

command = Command(
    "completion",
    "completion:show_script",
    [Argument("shell", "shell whose script to print", type=click.Choice(["bash", "zsh", "fish"]))],
    [
        'eval "$(mxnova completion bash)"  # in ~/.bashrc',
        'eval "$(mxnova completion zsh)"  # in ~/.zshrc, after compinit',
        "mxnova completion fish > ~/.config/fish/completions/mxnova.fish",
    ],
    epilog="The script completes commands, options, values and files.",
)
