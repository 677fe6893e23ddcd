"""`site`: the recorded runs as a folder for any file server."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from playground.cli.command import add_command, print_json


def add(commands: Any) -> None:
    """Add `site` to the subcommands."""
    site = add_command(
        commands, "site", _site, "Build a folder that plays the recorded runs from any file server, with no Python."
    )
    site.add_argument("out", type=Path, metavar="OUT", help="a new folder, or an earlier site, which is replaced")


def _site(parsed: argparse.Namespace) -> None:
    from playground.views.site import build_site

    built = build_site(parsed.out)
    if parsed.json:
        print_json(built)
    else:
        print(f"{built['folder']}: {built['runs']} runs, {built['bytes'] / 1e6:.1f} MB. Open it with")
        print(f"    python -m http.server --directory {built['folder']}")
