"""The names of the workings: Python's records, the trace's schema and the player's script know the same ones."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from playground.decoding.method import make_method, methods
from playground.decoding.workings.records import kinds
from playground.trace.events import Judged
from playground.trace.schema import trace_schema
from tests.decoding.runs import request, trace_of

RECORDS = {kind: [item.name for item in fields(record)] for kind, record in kinds().items()}
SCRIPT = Path("assets/player/trace/workings.js").read_text(encoding="utf-8")


def in_script():
    """The fields that each kind has in the script's table."""
    table = SCRIPT[SCRIPT.index("const KINDS = {") : SCRIPT.index("const equal")]
    rows = re.findall(r"^  (\w+): \{(.*?)\},$", table, re.MULTILINE | re.DOTALL)
    return {kind: set(re.findall(r"(\w+): ", row)) for kind, row in rows}


def test_the_schema_names_the_records_fields():
    assert trace_schema()["$defs"]["working"]["x-kinds"] == RECORDS


def test_the_script_names_the_records_fields():
    assert in_script() == {kind: set(names) for kind, names in RECORDS.items()}


@pytest.mark.parametrize("name", sorted(methods()))
def test_what_a_run_writes_is_a_record(name):
    for event in trace_of(request(make_method(name), length=12)).events:
        for working in getattr(event, "workings", []) if isinstance(event, Judged) else []:
            assert list(working) == ["kind", *RECORDS[working["kind"]]]
