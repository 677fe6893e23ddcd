"""An address that cannot be listened on is refused before anything is read, in a sentence that says what to give."""

import socket

import pytest

from playground.errors import PlaygroundError
from playground.ui.served import address
from playground.ui.served.address import check_address


@pytest.fixture
def taken():
    """A port at which somebody listens."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_a_port_that_is_taken_is_named(taken):
    with pytest.raises(PlaygroundError, match=rf"^Port {taken} is taken\. Choose another"):
        check_address(None, taken)


def test_the_first_free_port_will_do(taken, monkeypatch):
    monkeypatch.setattr(address, "FIRST_PORT", taken)
    monkeypatch.setattr(address, "MOST_PORTS", 1)
    with pytest.raises(PlaygroundError, match=rf"^Every port from {taken} to {taken} is taken\."):
        check_address(None, None)
    monkeypatch.setattr(address, "MOST_PORTS", 50)
    check_address(None, None)


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_what_is_no_port_is_refused(port):
    with pytest.raises(PlaygroundError, match=rf"^Port {port} is out of range\. Choose 1 to 65535"):
        check_address(None, port)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("nowhere.invalid", "is not a name of any machine"),
        ("http://localhost", "is not a name of any machine"),
        (70 * "a" + ".b", "is not a name of any machine"),
        ("192.0.2.1", "is not an address of this machine"),  # It is nobody's: for documents.
    ],
)
def test_what_is_no_address_of_this_machine_is_refused(host, said):
    with pytest.raises(PlaygroundError, match=rf"^{host} {said}\. Leave --host out"):
        check_address(host, None)


@pytest.mark.parametrize("host", [None, "localhost", "127.0.0.1", "0.0.0.0"])
def test_an_address_of_this_machine_is_let_pass(host):
    check_address(host, None)
