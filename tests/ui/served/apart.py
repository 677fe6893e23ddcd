"""What is awaited, in a thread of its own: that of a test may have a browser's loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def apart(work):
    """What it comes to."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
