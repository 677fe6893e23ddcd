"""The address of the page: one of this machine, and a port that is free. Standard library only."""

import errno
import os
import socket

from playground.errors import PlaygroundError

HERE, FIRST_PORT, MOST_PORTS = "127.0.0.1", 7860, 100  # Gradio has the same.


def check_address(host: str | None, port: int | None) -> None:
    """Refuse an address that cannot be listened on, before anything is read for it.

    Args:
        host: a name or number of this machine; None for this machine alone.
        port: None for the first free one from 7860.

    Raises:
        PlaygroundError: if the host is none of this machine's, or no such port is free.
    """
    host = host or os.environ.get("GRADIO_SERVER_NAME") or HERE
    if port is None and (said := os.environ.get("GRADIO_SERVER_PORT", "")).isdigit():
        port = int(said)
    if port is not None and not 1 <= port <= 65_535:
        raise PlaygroundError(f"Port {port} is out of range. Choose 1 to 65535, or leave --port out.")
    ports = range(FIRST_PORT, FIRST_PORT + MOST_PORTS) if port is None else [port]
    try:
        family, *_, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise PlaygroundError(f"{host} is not a name of any machine. {_hosts()}") from None
    for each in ports:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as trial:
                if os.name == "posix":
                    trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # The server sets it, too.
                trial.bind((address[0], each, *address[2:]))
                return
        except PermissionError:
            raise PlaygroundError(f"Port {each} is not for this user. Choose one from 1024 with --port.") from None
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise PlaygroundError(f"{host} is not an address of this machine. {_hosts()}") from None
    if port is None:
        raise PlaygroundError(f"Every port from {ports[0]} to {ports[-1]} is taken. Choose another with --port.")
    raise PlaygroundError(f"Port {port} is taken. Choose another, or leave --port out for the first that is free.")


def _hosts() -> str:
    return f"Leave --host out for this machine alone ({HERE}), or give 0.0.0.0 for every machine that can reach it."
