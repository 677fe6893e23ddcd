"""Start the playground: `python app.py`, then open the address it prints."""

import argparse
import sys


def main() -> None:
    """Read the flags, build the page, serve it."""
    parser = argparse.ArgumentParser(description="A playground for seeing speculative decoding.")
    parser.add_argument("--host", help="address to listen on; 0.0.0.0 for every machine that can reach this one")
    parser.add_argument("--port", type=int, help="port to listen on; the first free one from 7860 if not given")
    parser.add_argument("--root-path", help="where a reverse proxy shows the page, such as /app; it passes on the rest")
    parser.add_argument("--share", action="store_true", help="a public link through gradio.live, for 72 hours")
    flags = parser.parse_args()

    from playground.ui.build import build, launch  # after the flags: --help should not wait for torch

    try:
        launch(build(), server_name=flags.host, server_port=flags.port, share=flags.share, root_path=flags.root_path)
    except OSError as error:  # the port is taken, or the address is not this machine's
        sys.exit(f"The page cannot be served here: {error}")


if __name__ == "__main__":
    main()
