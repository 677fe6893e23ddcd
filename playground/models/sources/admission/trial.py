"""A trial of what a stranger's model may run away with: its tokenizer's first words, and its chat template.

    python -m playground.models.sources.admission.trial     in a confined process, with tokenizers and jinja2 alone

A tokenizer is a small program: expressions to split by, letters to replace, a table of tokens. Its parts are bounded
first, so that no text grows by more than a factor; then it encodes a text of every kind, and decodes all of its tokens.
"""

import base64
import json
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from playground.child import answer

# expressions of published tokenizers, none of which goes back further than over a run of spaces; GPT-2's has no text
_LETTERS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_OTHERS = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_SUFFIXES = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
KNOWN = {
    f"{_SUFFIXES}|{_LETTERS}|\\p{{N}}{{1,3}}|{_OTHERS}",  # Llama 3
    f"{_SUFFIXES}|{_LETTERS}|\\p{{N}}|{_OTHERS}",  # Qwen 2 and 3
    f"{_SUFFIXES}|{_LETTERS}|\\p{{N}}{{1,2}}|{_OTHERS}",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",  # GPT-2
    r"\p{N}{1,3}",  # DeepSeek
    r"[0-9][0-9][0-9]",
    r"[\r\n]",
    r"\s?\p{L}+",
    r"\s?\p{P}+",
    r"\p{N}",
    r"\d",
    r"\s+",
    r" {2,}",
}
RUN = 200  # letters of each kind in a text of trial
SAMPLE = "".join(letter * RUN for letter in "aZ0 .\n\té猫_-'") + "The cat's 1,234 mats: ünïcode, 日本語 🎉! " * 20


def main() -> None:
    """Answer one request, an object with a `kind`, in a confined process."""
    kinds = {"tokenizer": try_tokenizer, "encode": try_text, "chat": render}

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        try:
            return kinds[request.pop("kind")](**request)
        except MemoryError:
            sys.exit(1)  # as a failed allocation of a library
        except BaseException as error:  # of a library whose panics are no exceptions
            return {"problem": (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")}

    answer(reply)


def try_tokenizer(file: str, limits: dict[str, int]) -> dict[str, Any]:
    """Bound a tokenizer.json, then encode and decode by it.

    Args:
        limits: largest numbers by name, see `limits`.

    Returns:
        key, number and limit of what is out of bounds; or whether its expressions are all known.
    """
    from tokenizers import Tokenizer

    content = json.loads(Path(file).read_bytes())
    for key, number, limit in _sizes(content):
        if number > limits[limit]:
            return {"key": key, "number": number, "limit": limit}
    del content["model"]
    expressions = set(_expressions(content))
    del content
    tokenizer = Tokenizer.from_file(file)
    tokenizer.encode(SAMPLE)
    ids = list(tokenizer.get_vocab(with_added_tokens=True).values())
    tokenizer.decode(ids, skip_special_tokens=False)
    return {"is_known": expressions <= KNOWN}


def try_text(file: str, text: str) -> dict[str, Any]:
    """Encode a text; that it ends is the answer."""
    from tokenizers import Tokenizer

    Tokenizer.from_file(file).encode(text)
    return {}


def render(template: str, variables: dict[str, Any]) -> dict[str, Any]:
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
    return {"text": sandbox.from_string(template).render(**variables)}


def _sizes(content: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    """(key, number, its limit) of everything in a tokenizer.json that can make memory or a text grow."""
    model = content.get("model") or {}
    vocabulary = model.get("vocab") or {}
    pairs = vocabulary.items() if isinstance(vocabulary, dict) else ((each[0], i) for i, each in enumerate(vocabulary))
    added = content.get("added_tokens") or []
    tokens = [*pairs, *((each["content"], each["id"]) for each in added)]
    yield "vocab", len(tokens), "tokens"
    yield "added_tokens", len(added), "added"
    yield "the largest id", max((number for _, number in tokens), default=0), "tokens"
    yield "the longest token", max((len(text) for text, _ in tokens), default=0), "letters"
    for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        growth = 1
        for step in _steps(content.get(part)):
            for name in ("content", "prepend", "replacement", "prefix", "cleanup"):
                if isinstance(text := step.get(name), str):
                    growth *= max(1, len(text))
            yield f"{part}: letters that one becomes", growth, "growth"
            yield f"{part}: precompiled_charsmap", len(table := _table(step)), "precompiled"
            longest = max(
                (len(each) for each in table[4 + int.from_bytes(table[:4], "little") :].split(b"\0")), default=0
            )
            yield f"{part}: letters that one becomes", longest, "growth"
            if step.get("type") == "TemplateProcessing":
                longest = max((len(each) for each in _lists(step)), default=0)
                yield f"{part}: tokens around a text", longest, "pieces"
        for expression in _expressions(content.get(part)):
            yield f"{part}: letters of an expression", len(expression), "expression"
            if part == "decoder" and expression not in KNOWN:
                yield f"{part}: expressions that are not known", 1, "none"


def _steps(part: Any) -> Iterator[dict[str, Any]]:
    """Each step of a part, those of sequences in sequences included."""
    if isinstance(part, dict):
        if part.get("type") != "Sequence":
            yield part
        for name in ("normalizers", "pretokenizers", "processors", "decoders"):
            for step in part.get(name) or []:
                yield from _steps(step)


def _expressions(value: Any) -> Iterator[str]:
    """Each regular expression in a value, however deep."""
    if isinstance(value, dict):
        if isinstance(value.get("Regex"), str):
            yield value["Regex"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _expressions(inner)


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _lists(inner)


def _table(step: dict[str, Any]) -> bytes:
    """SentencePiece's table of replacements: the length of a trie, the trie, then texts that each end with a zero."""
    table = step.get("precompiled_charsmap")
    return base64.b64decode(table) if isinstance(table, str) else b""


if __name__ == "__main__":
    main()
