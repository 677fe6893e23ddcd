"""Reading a log takes processor time that grows with its length, whatever the log is made of."""

import ast
import gc
import time
from contextlib import suppress
from pathlib import Path

import pytest

from playground import servers
from playground.errors import PlaygroundError
from playground.servers.reading import read_log

UNITS = (
    *"={}[]()\"'1,.:#_- \t\n\r\x1b\x00é",
    *("\x1b[", "\x1b[1m", "word ", "1 ", "nan ", "=" * 50 + "\n"),
    *("{\n", '{"', '{"a":1}', '{"a":1}\n', "[1],", "[[", '{"a":'),
    *("data:", "data: [DONE]", "data: [DONE]\n", "event: x\n", "[DONE]\n", "\ndata: {", '{"log": "Accepted: "}\n'),
    '{"meta_info": {"spec_verify_ct": 1, "completion_tokens": 1}}\n',
    *("vllm:spec_decode_x{", 'vllm:spec_decode_x{a="', 'vllm:spec_decode_num_drafts{a="b"} 1\n'),
    *("Counter(name='vllm:spec_decode_num_drafts', labels={}, value=1), ", "(name='vllm:spec_decode_x', values=[1, "),
)  # fmt: skip


def marks() -> list[str]:
    """Collect the texts that the readers look for: every string of their modules that is no docstring."""
    found = set()
    for path in Path(servers.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
        }
    return sorted(mark for mark in found if 3 < len(mark) < 100 and not mark.startswith("log_"))


def processor_s(unit: str, num_bytes: int) -> float:
    """Return the processor time of reading this many bytes of one unit."""
    content = (unit * (num_bytes // len(unit) + 1))[:num_bytes].encode()
    gc.disable()  # a look at all that other tests left in memory would count here
    start = time.process_time()
    try:
        with suppress(PlaygroundError):
            read_log(content)
        return time.process_time() - start
    finally:
        gc.enable()


def assert_linear(unit: str, num_bytes: int) -> None:
    """Four times the length takes about four times as long, where a search from every letter takes sixteen times.

    A quarter of a second for 100 kB is ten times what the dearest unit takes on a quiet machine.
    """
    short_s, long_s = processor_s(unit, num_bytes), processor_s(unit, 4 * num_bytes)
    assert long_s <= 8 * short_s + 0.05, (unit, short_s, long_s)
    assert long_s <= 2.5 * (4 * num_bytes / 1e6), (unit, long_s)


@pytest.mark.parametrize("unit", UNITS)
def test_a_log_of_one_unit_is_read_in_time_that_grows_with_its_length(unit):
    assert_linear(unit, 100_000)


@pytest.mark.parametrize("end", ["\n", ": 1, "])
def test_so_is_a_log_of_what_the_readers_look_for(end):
    texts = marks()
    assert len(texts) > 100
    for mark in texts:
        assert_linear(mark + end, 10_000)
    assert_linear(end.join(texts), 100_000)
