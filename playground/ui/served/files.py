"""Static files of the page: scripts, styles and recorded runs, by names that tell no server's folder.

The addresses are relative, so that the page works behind any prefix. Each names the version of all that is served: a
browser keeps what it has fetched for good, and no page mixes the scripts of two versions. A class of sixty
opens the page at once, so they are answered from memory, and packed once.
"""

import gzip
import mimetypes
from collections.abc import Callable, Iterable, Mapping
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


def file_routes(folders: Iterable[Path], bundles: Mapping[str, Callable[[], str]] | None = None) -> list[BaseRoute]:
    """Routes to the files of the folders, as they are now, and to the texts that are made of them, by name.

    A page that was opened before the server got another version asks for the old one; it is given what there is, but
    not to keep.
    """
    folders = tuple(folders)
    version = version_of(folders)
    contents = {name: path.read_bytes for name, path in _files(folders).items()}
    contents |= {name: lambda make=make: make().encode() for name, make in (bundles or {}).items()}
    plain = cache(lambda name: contents[name]())
    packed = cache(lambda name: gzip.compress(plain(name), mtime=0))

    async def serve(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in contents:
            raise HTTPException(404)
        kind = TYPES.get(Path(name).suffix)
        is_packed = kind is not None and "gzip" in request.headers.get("accept-encoding", "")
        content = await run_in_threadpool(packed if is_packed else plain, name)
        headers = {"cache-control": LASTING if request.path_params["version"] == version else PASSING}
        if kind:
            headers |= {"vary": "accept-encoding"} | ({"content-encoding": "gzip"} if is_packed else {})
        return Response(content, headers=headers, media_type=kind or mimetypes.guess_type(name)[0])

    return [Route(f"/{FOLDER}/{{version}}/{{name:path}}", serve)]


def address_of(path: Path, folders: tuple[Path, ...]) -> str:
    """Return the address of a file of one of the folders, or of a folder, relative to the page's."""
    folder = next(each for each in folders if path.is_relative_to(each))
    return address_of_name((Path(folder.name) / path.relative_to(folder)).as_posix(), folders)


def address_of_name(name: str, folders: tuple[Path, ...]) -> str:
    """Return the address of a file with a name in these folders, or made of them, relative to the page's."""
    return f"{FOLDER}/{version_of(folders)}/{name}"


@cache
def version_of(folders: tuple[Path, ...]) -> str:
    """Return a digest of every file's name and content, when first asked for."""
    digest = sha256()
    for name, path in _files(folders).items():
        digest.update(f"{name} {path.stat().st_size} ".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _files(folders: tuple[Path, ...]) -> dict[str, Path]:
    """Return the files by name: the folder's name and the path in it."""
    return {
        (Path(folder.name) / path.relative_to(folder)).as_posix(): path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
