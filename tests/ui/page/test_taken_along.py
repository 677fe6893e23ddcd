"""Files that readers take along do not fill the disk."""

import os
import time

from playground.ui.page.taken_along import KEPT_S, folder_to_take


def test_what_was_taken_along_an_hour_ago_goes():
    first, second = folder_to_take(), folder_to_take()
    for folder in (first, second):
        (folder / "trace.json.gz").write_text("a run")
    long_ago = time.time() - KEPT_S - 1
    os.utime(first, (long_ago, long_ago))
    third = folder_to_take()
    assert not first.exists() and (second / "trace.json.gz").exists() and list(third.iterdir()) == []
