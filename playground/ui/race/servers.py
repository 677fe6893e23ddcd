"""Servers' rules in the drawer of a race: the entry for each server, and its source."""

from __future__ import annotations

import gradio as gr

from playground.bench.entry import read_choices
from playground.bench.servers import SERVERS, Server
from playground.ui.race import lineup
from playground.words import word


def servers_told() -> None:
    """Lay out a paragraph for each server, folded."""
    with gr.Accordion(word("race_servers"), open=False, elem_id="race-servers"):
        gr.Markdown(
            f"The line-up *{lineup.SERVERS_DO}* races the defaults of these servers, as far as the methods here can "
            "say them: one text at a time, and with the models chosen below."
        )
        for server in SERVERS:
            gr.Markdown(rule_of(server))


def rule_of(server: Server) -> str:
    """A server's default in Markdown."""
    [(method, options)] = read_choices(server.entry)
    address = f"https://{server.source}"
    sentences = f"{server.rule} {server.otherwise}".strip()
    return (
        f"**{server.name}** ({server.version}). {sentences} Here: {lineup.title(method, options)}. "
        f"[{server.source}]({address})"
    )
