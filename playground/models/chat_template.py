"""A chat template, a program in a model's files: rendered as transformers does, in a child.

python -m playground.models.chat_template     the child, with jinja2 alone
"""

import json
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

from playground.child import Bounds, BrokenOffError, answer, ask
from playground.errors import PlaygroundError

MODULE = "playground.models.chat_template"
BOUNDS = Bounds(1_000_000_000, 3)
TURN_LETTERS = 1_000_000  # A message may become so many.
MOST_TURNS = 16  # So many turns are remembered.

_turns: dict[str, str] = {}  # by request: one is written before its run has the device, and read when it has


def render_turn(template: str, variables: dict[str, object], stop: Callable[[], bool] = lambda: False) -> str:
    """Render a chat template.

    Raises:
        PlaygroundError: with the reason, if it fails, takes too much or writes too much; StoppedError if stopped.
    """
    request = json.dumps([template, variables])
    if request not in _turns:
        if len(_turns) >= MOST_TURNS:
            _turns.clear()
        _turns[request] = _ask(request, stop)
    return _turns[request]


def _ask(request: str, stop: Callable[[], bool]) -> str:
    try:
        text, problem = ask(MODULE, request, bounds=BOUNDS, stop=stop)
    except BrokenOffError as error:
        raise PlaygroundError(f"it {error}") from None
    if not problem and len(text) > TURN_LETTERS:
        problem = f"it writes {len(text):,} letters, and may write {TURN_LETTERS:,}"
    if problem:
        raise PlaygroundError(problem)
    return text


def _reply(request: str) -> tuple[str, str]:
    """Return (text, problem), in the child."""
    try:
        return _render(*json.loads(request)), ""
    except MemoryError:
        sys.exit(1)  # The parent takes it for a failed allocation of a library.
    except Exception as error:  # It is of a program in the model's files.
        return "", (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def _render(template: str, variables: dict[str, object]) -> str:
    """Render a chat template as transformers does, in jinja's sandbox."""
    from jinja2 import TemplateError, nodes
    from jinja2.exceptions import SecurityError
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from jinja2.utils import Namespace

    class Generation(Extension):
        """`{% generation %}` around what a model is to write, which is written as it is."""

        tags = {"generation"}

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    class PublicNamespace(Namespace):
        """A namespace without names that begin with an underscore, which reach Python's internals."""

        def __init__(*args: Any, **values: Any) -> None:
            own, *given = args
            values = dict(*given, **values)
            for name in values:
                PublicNamespace.check(name)
            Namespace.__init__(own, values)

        def __setitem__(self, name: str, value: Any) -> None:
            PublicNamespace.check(name)
            Namespace.__setitem__(self, name, value)

        @staticmethod
        def check(name: Any) -> None:
            if str(name).startswith("_"):
                raise SecurityError(f"a namespace has no {name!r}")

    def fail(message: str) -> None:
        raise TemplateError(message)

    def as_json(
        value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    sandbox = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    sandbox.filters["tojson"] = as_json
    sandbox.globals |= {
        "raise_exception": fail,
        "strftime_now": lambda layout: datetime.now().strftime(layout),
        "namespace": PublicNamespace,
        "dict": lambda *given, **named: dict(*given, **named),
    }
    return sandbox.from_string(template).render(**variables)


if __name__ == "__main__":
    answer(_reply)
