"""The page as an MCP server. It needs the package mcp, which is optional: without it, only the refusal is tested."""

import ast
import asyncio
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from playground.trace import from_json, validate

ROOT = Path(__file__).parents[2]
HAS_MCP = importlib.util.find_spec("mcp") is not None


@pytest.mark.skipif(HAS_MCP, reason="mcp is installed")
def test_without_the_package_the_flag_says_how_to_get_it():
    done = subprocess.run([sys.executable, "app.py", "--mcp"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "pip install 'mcp" in done.stderr


@pytest.mark.skipif(not HAS_MCP, reason="needs pip install 'mcp>=1.21,<2'")
def test_a_client_lists_the_tools_and_calls_one():
    from playground.ui.build import build, launch

    page = build()
    _, address, _ = launch(page, prevent_thread_lock=True, quiet=True, mcp_server=True)
    try:
        names, found = asyncio.run(_asked(f"{address}gradio_api/mcp/"))
    finally:
        page.close()
    assert {name.rpartition("_")[2] for name in names} == {"run", "compare", "acceptance", "methods"}
    validate(from_json(found["trace"]))
    assert found["num_tokens"] == 8


async def _asked(address):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    values = {"method": "rsd_s:width=2", "prompt": "Once upon a time", "max_new_tokens": 8}
    async with streamablehttp_client(address) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        [run] = [name for name in names if name.endswith("run")]
        result = await session.call_tool(run, values)
        assert not result.isError, result.content
        return names, ast.literal_eval(result.content[0].text)  # Gradio writes what Python shows
