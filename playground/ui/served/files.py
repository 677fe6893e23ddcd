"""The files of the page that visitors fetch: scripts, styles and recorded runs, by names that tell no server's folder.

The addresses are relative, so that the page works behind any prefix.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

PLACE = "page"  # below which they are all found


def file_routes(folders: Iterable[Path]) -> list[BaseRoute]:
    """Where the folders are served, each under its own name."""
    return [Mount(f"/{PLACE}/{folder.name}", StaticFiles(directory=folder)) for folder in folders]


def address_of(path: Path, folders: Iterable[Path]) -> str:
    """Where the page finds a file of one of the folders, or a folder, beside its own address."""
    folder = next(each for each in folders if path.is_relative_to(each))
    return f"{PLACE}/{(Path(folder.name) / path.relative_to(folder)).as_posix()}"
