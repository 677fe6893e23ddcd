"""What runs write as workings are the records, field by field and within their ranges."""

import msgspec
import pytest

from playground.decoding.method import make_method, methods
from playground.decoding.workings.records import kinds
from playground.trace.events import Verified
from tests.decoding.runs import request, trace_of


@pytest.mark.parametrize("name", sorted(methods()))
def test_what_a_run_writes_is_a_record(name):
    for event in trace_of(request(make_method(name), length=12)).events:
        for working in getattr(event, "workings", []) if isinstance(event, Verified) else []:
            assert msgspec.convert(working, kinds()[working["kind"]]).as_dict() == working
