"""The page's endpoints as a program finds them, over HTTP and as an MCP server."""

import ast
import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from gradio_client import Client
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

from playground.trace import from_json, validate

NAMES = {"/run", "/compare", "/acceptance", "/methods"}


def test_a_program_finds_four_endpoints_runs_compares_and_asks_and_is_refused_in_a_sentence(address):
    client = Client(address, verbose=False)
    endpoints = client.view_api(return_format="dict")["named_endpoints"]
    assert set(endpoints) == NAMES
    assert [each["parameter_name"] for each in endpoints["/acceptance"]["parameters"]] == [
        "target", "draft", "num_drafts"
    ]  # fmt: skip
    result = client.predict("rsd_s:width=2", "Once upon a time", seed=1, max_new_tokens=8, api_name="/run")
    validate(from_json(result["trace"]))
    rows = client.predict("speculative_sampling", 1, max_new_tokens=8, api_name="/compare")
    assert [row["method"] for row in rows] == ["autoregressive", "speculative_sampling"]
    assert client.predict([0.5, 0.5], [0.8, 0.2], 1, api_name="/acceptance")["speculative"] == pytest.approx(0.7)
    assert len(client.predict(api_name="/methods")) > 20
    with pytest.raises(Exception, match=r"rsd_x.*Did you mean"):
        client.predict("rsd_x", "Once", api_name="/run")


@pytest.mark.filterwarnings("ignore:Use `streamable_http_client`:DeprecationWarning")  # mcp 1.21 has no such name.
def test_a_client_of_mcp_lists_the_tools_and_calls_one(address):
    with ThreadPoolExecutor(1) as aside:  # Playwright has an event loop in this thread
        names, found = aside.submit(asyncio.run, _asked(f"{address}/gradio_api/mcp/")).result()
    assert {name.rpartition("_")[2] for name in names} == {name.removeprefix("/") for name in NAMES}
    validate(from_json(found["trace"]))
    assert found["num_tokens"] == 8


async def _asked(address):
    values = {"method": "rsd_s:width=2", "prompt": "Once upon a time", "max_new_tokens": 8}
    async with streamablehttp_client(address) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        [run] = [name for name in names if name.endswith("run")]
        result = await session.call_tool(run, values)
        assert not result.isError, result.content
        return names, ast.literal_eval(result.content[0].text)  # Gradio writes what Python shows
