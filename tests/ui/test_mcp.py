"""The page as an MCP server needs the package mcp; the page itself does not."""

import subprocess
import sys
from pathlib import Path

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
