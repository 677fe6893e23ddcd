"""Coroutines in a thread of their own: that of a test may have a browser's loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def apart(work):
    """Return the coroutine's result."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
