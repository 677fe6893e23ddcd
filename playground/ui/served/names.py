"""Names under which the server answers, and whose pages may send it something.

A browser takes any site for the server's own page whose name leads to this machine, so a server for this machine alone
answers only to names of this machine. And it lets any site's page send it forms and files, so those are asked where
they come from. Programs are no browsers: they say nothing of an origin, and act for their user alone.
"""

import ipaddress
import os
from collections.abc import Iterable
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"  # The server listens on it if nothing is said.


def is_public(address: str | None, others: Iterable[str] = (), root_path: str | None = None, *, share: bool) -> bool:
    """Return whether strangers reach the page: it has another address than this machine's own, or something shows it.

    Args:
        address: what the server listens on.
        others: its names, as a proxy in front of it shows it.
        root_path: the path below which a proxy shows it.
        share: whether it gets a public link.
    """
    said = [os.environ.get(each, "") for each in ("GRADIO_ROOT_PATH", "SPACE_ID")]
    is_shared = share or os.environ.get("GRADIO_SHARE", "").lower() == "true"
    return is_shared or bool(root_path) or any([*others, *said]) or not Names(address).is_local


class Names:
    """The names of a server.

    Args:
        address: what it listens on.
        others: what it is called besides the names of this machine.
    """

    def __init__(self, address: str | None, others: Iterable[str | None] = ()) -> None:
        listens = address or os.environ.get("GRADIO_SERVER_NAME") or LOOPBACK
        # whether it answers to names of this machine and to the others alone; else to any
        self.is_local = is_loopback(_name(listens))
        self._others = {_name(other) for other in (*others, os.environ.get("SPACE_HOST")) if other}

    @property
    def are_own_alone(self) -> bool:
        """True if the server has no names but those of this machine."""
        return self.is_local and not self._others

    def add(self, address: str) -> None:
        """Add another name of the server: that of a web address."""
        self._others.add(_name(urlsplit(address).netloc))

    def answers_to(self, host: str) -> bool:
        """Return whether a request is for this server, by the host that it names; browsers always name one."""
        name = _name(host)
        return not self.is_local or not host or is_loopback(name) or name in self._others

    def is_own(self, origin: str, host: str) -> bool:
        """Return whether a page of this origin, "null" for none, is one of the server that was asked as this host."""
        try:
            origin_host = urlsplit(origin).netloc.lower()
        except ValueError:
            return False
        return bool(origin_host) and (origin_host == host.lower() or _name(origin_host) in self._others)


def is_loopback(name: str) -> bool:
    """Return whether a name leads to this machine, wherever it is asked."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """Without a port, brackets and the dot at its end."""
    host = host.strip()
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"  # an address of IPv6 by itself
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""
