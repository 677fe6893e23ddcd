"""The device, which one run at a time may use: whoever decodes holds this."""

from __future__ import annotations

import threading

device = threading.Lock()
