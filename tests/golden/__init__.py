"""Values computed apart from this project, which its rules and formulas are held to."""

import json
from pathlib import Path

ACCEPTANCE = json.loads(Path(__file__).with_name("acceptance.json").read_text(encoding="utf-8"))
