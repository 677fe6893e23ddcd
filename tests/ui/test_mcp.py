"""The page as an MCP server, which needs the package mcp: the page itself does not."""

import ast
import asyncio
import subprocess
import sys
from pathlib import Path

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

from playground.trace import from_json, validate
from tests.browser.app_fixture import started_app

ROOT = Path(__file__).parents[2]
WITHOUT_MCP = """
import importlib.util, runpy, sys
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "mcp" else find_spec(name, *more)
sys.argv = ["app.py", "--mcp"]
runpy.run_path("app.py", run_name="__main__")
"""


def test_without_the_package_the_flag_says_how_to_get_it():
    done = subprocess.run([sys.executable, "-c", WITHOUT_MCP], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "pip install 'mcp" in done.stderr


def test_a_client_lists_the_tools_and_calls_one():
    with started_app("--mcp") as (address, _):
        names, found = asyncio.run(_asked(f"{address}/gradio_api/mcp/"))
    assert {name.rpartition("_")[2] for name in names} == {"run", "compare", "acceptance", "methods"}
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
