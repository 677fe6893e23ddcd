"""Servers' rules in the drawer of a race: the entry for each server, and its source."""

import gradio as gr

from playground.bench.entry import read_choices
from playground.bench.servers import SERVERS, Server
from playground.ui.race import lineup
from playground.words import word

_HERE = word("race_here")


def servers_told() -> None:
    """Lay out a paragraph for each server, folded."""
    with gr.Accordion(word("race_servers"), open=False, elem_id="race-servers"):
        gr.Markdown(word("race_servers_about"))
        for server in SERVERS:
            gr.Markdown(rule_of(server))


def rule_of(server: Server) -> str:
    """Return a server's default in Markdown."""
    [(method, options)] = read_choices(server.entry)
    address = f"https://{server.source}"
    lines = [
        f"**{server.name}**, *{server.version}*",
        server.rule,
        *([server.otherwise] if server.otherwise else []),
        f"{_HERE} *{lineup.title(method, options)}*",
        f"[{server.source}]({address})",
    ]
    return "  \n".join(lines)  # each a text of its own, which the browser finds in its table
