"""Static files of the page: scripts, styles and recorded runs, by names that tell no server's folder.

The addresses are relative, so that the page works behind any prefix. Each names the version of all that is served: a
browser keeps what it has fetched for good, and no page mixes the scripts of two versions. A page asks for some 160
files at once, and a class of sixty for ten thousand, so they are answered from memory, and packed once.
"""

from __future__ import annotations

import gzip
import mimetypes
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

FOLDER = "page"  # below which they are all found
LASTING, PASSING = "public, max-age=31536000, immutable", "no-store"
TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml"}  # packed


def file_routes(folders: Iterable[Path]) -> list[BaseRoute]:
    """Routes to the files of the folders, as they are now.

    A page that was opened before the server got another version asks for the old one; it is given what there is, but
    not to keep.
    """
    folders = tuple(folders)
    version, paths = version_of(folders), _files(folders)
    packed = cache(lambda name: gzip.compress(paths[name].read_bytes(), mtime=0))
    plain = cache(lambda name: paths[name].read_bytes())

    async def serve(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in paths:
            raise HTTPException(404)
        kind = TYPES.get(paths[name].suffix)
        is_packed = kind is not None and "gzip" in request.headers.get("accept-encoding", "")
        content = await run_in_threadpool(packed if is_packed else plain, name)
        headers = {"cache-control": LASTING if request.path_params["version"] == version else PASSING}
        if kind:
            headers |= {"vary": "accept-encoding"} | ({"content-encoding": "gzip"} if is_packed else {})
        return Response(content, headers=headers, media_type=kind or mimetypes.guess_type(name)[0])

    return [Route(f"/{FOLDER}/{{version}}/{{name:path}}", serve)]


def address_of(path: Path, folders: tuple[Path, ...]) -> str:
    """The address of a file of one of the folders, or of a folder, relative to the page's."""
    folder = next(each for each in folders if path.is_relative_to(each))
    return f"{FOLDER}/{version_of(folders)}/{(Path(folder.name) / path.relative_to(folder)).as_posix()}"


@cache
def version_of(folders: tuple[Path, ...]) -> str:
    """A digest of every file's name and content, when first asked for."""
    digest = sha256()
    for name, path in _files(folders).items():
        digest.update(f"{name} {path.stat().st_size} ".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _files(folders: tuple[Path, ...]) -> dict[str, Path]:
    """By name: that of the folder, and where the file is in it."""
    return {
        (Path(folder.name) / path.relative_to(folder)).as_posix(): path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
