"""Folders and files of models that would do harm, made small here: each is a whole model but for one thing.

A case is a function of a folder with a whole model in it, which it spoils; `CASES` has its name, the words that its
refusal must have, and when it is refused at the latest.
"""

import base64
import json
import os
import struct
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.models.test_loading import llama, save_model

# leaving the field, loading, reading a prompt, a message's turn
NEED, LOAD, TEXT, CHAT = "need", "load", "text", "chat"


class Case(NamedTuple):
    """A model that would do harm.

    Attributes:
        name: of the folder.
        spoil: changes the folder; returns a path to be named in its place, or None.
        words: expression that the refusal matches.
        when: the first step that has to refuse it.
    """

    name: str
    spoil: Callable[[Path], str | None]
    words: str
    when: str


def whole(folder: Path) -> Path:
    """A model of a layer with a tokenizer that decodes byte by byte."""
    save_model(folder, llama())
    return folder


def _edit(file: str, change: Callable[[dict], object]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        content = json.loads((folder / file).read_text())
        change(content)
        (folder / file).write_text(json.dumps(content))

    return spoil


def _config(**values: object) -> Callable[[Path], None]:
    return _edit("config.json", lambda config: config.update(values))


def _tokenizer(**values: object) -> Callable[[Path], None]:
    return _edit("tokenizer.json", lambda content: content.update(values))


def _model_of_tokenizer(**values: object) -> Callable[[Path], None]:
    return _edit("tokenizer.json", lambda content: content["model"].update(values))


def _template(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "chat_template.jinja").write_text(text) and None


def _written(file: str, content: bytes, *, size: int = 0) -> Callable[[Path], None]:
    """A file with this content, and zeros behind it up to a size, which take no room on the disk."""

    def spoil(folder: Path) -> None:
        with (folder / file).open("wb") as opened:
            opened.write(content)
            opened.truncate(max(size, len(content)))

    return spoil


def _instead(file: str, make: Callable[[Path], None]) -> Callable[[Path], None]:
    """Something else in the place of a file."""

    def spoil(folder: Path) -> None:
        (folder / file).unlink(missing_ok=True)
        make(folder / file)

    return spoil


_pipe, _folder = partial(_instead, make=os.mkfifo), partial(_instead, make=Path.mkdir)


def _link(file: str, target: str) -> Callable[[Path], None]:
    return _instead(file, lambda path: path.symlink_to(target))


def _header(content: object) -> Callable[[Path], None]:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return _written("model.safetensors", len(text).to_bytes(8, "little") + text)


def _old_weights(content: Callable[[Path], object]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / "model.safetensors").unlink()
        content(folder / "pytorch_model.bin")

    return spoil


def _bomb(file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(20_000_000))


def _many(folder: Path) -> None:
    for number in range(21):
        (folder / f"{number}").touch()


def _replace(letters: str, size: int) -> list[dict]:
    return [{"type": "Replace", "pattern": {"String": letter}, "content": letter * size} for letter in letters]


def _precompiled(text: bytes) -> dict:
    table = (4).to_bytes(4, "little") + bytes(4) + text + b"\0"
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()}


def _split(expression: str) -> dict:
    return {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}


def _added(number: int, first: int = 8) -> list[dict]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return [{"id": first + each, "content": f"<{each}>", **flags, "special": True} for each in range(number)]


def _around(number: int) -> dict:
    special = {"<s>": {"id": "<s>", "ids": [0] * number, "tokens": ["a"] * number}}
    pieces = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    return {"type": "TemplateProcessing", "single": pieces, "pair": pieces, "special_tokens": special}


def _nested(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


def gguf(*entries: bytes, tensors: int = 0, keys: int | None = None, version: int = 3, rest: bytes = b"") -> bytes:
    """Content of a GGUF file with these keys."""
    num_keys = len(entries) if keys is None else keys
    return b"GGUF" + struct.pack("<IQQ", version, tensors, num_keys) + b"".join(entries) + rest


def _key(name: str, kind: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + value


def _list(name: str, kind: int, number: int, content: bytes = b"") -> bytes:
    return _key(name, 9, struct.pack("<IQ", kind, number) + content)


def _tensor(shape: tuple[int, ...], offset: int = 0) -> bytes:
    sizes = b"".join(struct.pack("<Q", size) for size in shape)
    return struct.pack("<Q", 1) + b"w" + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", 0, offset)


def _file(content: bytes, size: int = 0, name: str = "m.gguf") -> Callable[[Path], str]:
    def spoil(folder: Path) -> str:
        _written(name, content, size=size)(folder)
        return str(folder / name)

    return spoil


def _at(path: str) -> Callable[[Path], str]:
    return lambda folder: path.format(folder)


CONFIGS = [
    ("layers", _config(num_hidden_layers=1_000_000_000), "num_hidden_layers in config.json is 1,000,000,000.*1,000 "),
    ("no-layers", _config(num_hidden_layers=0), "num_hidden_layers .* is 0, and may be at least 1"),
    ("layers-below-0", _config(num_hidden_layers=-3), "is -3"),
    ("layers-nan", _config(num_hidden_layers=float("nan")), "num_hidden_layers .* is nan"),
    ("vocabulary", _config(vocab_size=10**12), "vocab_size .*at most 2,000,000"),
    ("feed-forward", _config(intermediate_size=10**15), "intermediate_size .*at most 1,000,000"),
    ("width", _config(hidden_size=10**9), "hidden_size"),
    ("heads", _config(num_attention_heads=10**9), "num_attention_heads"),
    ("groups", _config(num_key_value_heads=-1), "num_key_value_heads .*at least 1"),
    ("head-size", _config(head_dim=10**9), "head_dim"),
    ("positions", _config(max_position_embeddings=10**15), "max_position_embeddings"),
    ("window", _config(sliding_window=-5), "sliding_window .* is -5"),
    ("rope-factor", _config(rope_scaling={"rope_type": "linear", "factor": 1e300}), "factor .*at most 10,000"),
    ("rope-no-factor", _config(rope_scaling={"rope_type": "dynamic", "factor": 0}), "factor .* is 0"),
    ("rope-parameters", _config(rope_parameters={"rope_theta": -1.0, "rope_type": "default"}), "rope_theta"),
    ("nested", _config(text_config={"num_hidden_layers": 10**9}), "num_hidden_layers"),
    ("experts", _config(num_local_experts=10**9), "num_local_experts"),
    ("code", _config(attn_implementation="kernels-community/flash-attn"), "names code of the Hub"),
    ("deep", _written("config.json", _nested(100_000)), "is nested too deeply"),
    ("digits", _written("config.json", b'{"vocab_size": ' + b"9" * 5_000 + b"}"), "config.json is not JSON"),
    ("list", _written("config.json", b"[1]"), "not a JSON object"),
    ("no-json", _written("config.json", b"{"), "config.json is not JSON"),
    ("long", _written("config.json", b"{}", size=2_000_000), "config.json is 2,000,000"),
    ("config-pipe", _pipe("config.json"), "config.json is a pipe"),
    ("config-folder", _folder("config.json"), "config.json is a folder"),
    ("adapter", _written("adapter_config.json", b"{}"), "adapter of another model"),
    ("generation-pipe", _pipe("generation_config.json"), "generation_config.json is a pipe"),
]
WEIGHTS = [
    ("header-90-mb", _written("model.safetensors", struct.pack("<Q", 90_000_000), size=91_000_000), "10,000,000"),
    ("header-longer-than-file", _written("model.safetensors", struct.pack("<Q", 2**60)), "not a safetensors file"),
    ("header-no-json", _header(b"{]"), "not a safetensors file"),
    ("header-deep", _header(_nested(100_000)), "not a safetensors file"),
    ("header-list", _header([1]), "not a safetensors file"),
    ("behind-the-file", _header({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 10**15]}}), "not a safe"),
    ("below-0", _header({"w": {"dtype": "F32", "shape": [1], "data_offsets": [-(10**15), 0]}}), "not a safetensors"),
    ("weights-pipe", _pipe("model.safetensors"), "model.safetensors is a pipe"),
    ("weights-folder", _folder("model.safetensors"), "model.safetensors is a folder"),
    ("weights-nowhere", _link("model.safetensors", "/nowhere/at/all"), "model.safetensors: No such file"),
    ("weights-device", _link("model.safetensors", "/dev/zero"), "model.safetensors is a pipe or a device"),
    ("weights-loop", _link("model.safetensors", "model.safetensors"), "model.safetensors: Too many levels"),
    ("bomb", _old_weights(_bomb), "bytes unpacked"),
    ("old-folder", _old_weights(Path.mkdir), "pytorch_model.bin is a folder"),
    ("index", _written("model.safetensors.index.json", b"{}", size=30_000_000), "index.json is 30,000,000"),
    ("files", _many, "the number of files"),
]
SQUARED = {"model_type": "gpt_neo", "num_layers": 1, "num_heads": 2, "attention_types": [[["global"], 1]]}
LOADS = [
    ("positions-squared", _config(**SQUARED, max_position_embeddings=2_000_000), "needs .* of memory"),
    ("old-noise", _old_weights(lambda file: file.write_bytes(b"noise" * 100)), "cannot be loaded"),
    ("decoder-grows", _tokenizer(decoder={"type": "Sequence", "decoders": _replace("abc", 1000)}), "may be at most 64"),
    ("normalizer-grows", _tokenizer(normalizer={"type": "Sequence", "normalizers": _replace("abc", 5)}), "most 64"),
    ("prepend", _tokenizer(normalizer={"type": "Prepend", "prepend": "x" * 100_000}), "normalizer"),
    ("precompiled", _tokenizer(normalizer=_precompiled(b"x" * 1_000_000)), "letters that one becomes"),
    ("around", _tokenizer(post_processor=_around(100_000)), "tokens around a text"),
    ("added", _tokenizer(added_tokens=_added(100_001)), "added_tokens .*at most 100,000"),
    ("added-far", _tokenizer(added_tokens=_added(1, first=4_000_000_000)), "largest id"),
    ("token-far", _model_of_tokenizer(vocab={"a": 0, "b": 4_000_000_000}, unk_token="a"), "largest id"),
    ("token-long", _model_of_tokenizer(vocab={"a": 0, "x" * 1_000_000: 1}, unk_token="a"), "longest token"),
    ("expression-long", _tokenizer(pre_tokenizer=_split("a|" * 50_000)), "letters of an expression"),
    ("decoder-expression", _tokenizer(decoder=_replace("a", 1)[0] | {"pattern": {"Regex": "(a+)+b"}}), "not known"),
    ("tokenizer-deep", _written("tokenizer.json", _nested(100_000)), "tokenizer.json"),
    ("tokenizer-no-json", _written("tokenizer.json", b"{"), "tokenizer.json"),
    ("tokenizer-large", _written("tokenizer.json", b"{}", size=200_000_000), "tokenizer.json is 200,000,000"),
    ("tokenizer-pipe", _pipe("tokenizer.json"), "tokenizer.json is a pipe"),
    ("tokenizer-config-pipe", _pipe("tokenizer_config.json"), "tokenizer_config.json is a pipe"),
    ("template-large", _template("x" * 1_000_001), "chat_template.jinja is 1,000,001"),
]
TEXTS = [
    ("gives-up", _tokenizer(pre_tokenizer=_split("(x+x+)+y")), r"tokenizer.json: "),
    ("goes-back", _tokenizer(pre_tokenizer=_split("(?:x?){25}x{25}y|(x|xx)+y")), r"tokenizer.json: "),
]
CHATS = [
    ("loops", _template("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"), "took more"),
    ("doubles", _template("{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x * 2 %}{% endfor %}"),
     "took more than"),
    ("times", _template("{{ 'a' * 9999999999 }}"), "took more than 1 GB|too|Memory"),
    ("writes", _template("{% for i in range(60000) %}aaaaaaaaaaaaaaaaaaaa{% endfor %}"), "it writes 1,200,000 letters"),
    ("recursion", _template("{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}"), "recursion"),
    ("escapes", _template("{{ ''.__class__.__mro__[1].__subclasses__() }}"), "cannot be applied"),
    ("escapes-by-a-namespace", _template("{% set n = namespace(_x=1) %}"), "a namespace has no"),
]  # fmt: skip
GGUFS = [
    ("gguf-list", _file(gguf(_list("k", 4, 10**12))), "the length of k .*at most 3,000,000"),
    ("gguf-bytes", _file(gguf(_list("k", 0, 9_000_000, bytes(9_000_000)))), "the length of k"),
    ("gguf-texts", _file(gguf(_list("k", 8, 2_999_999))), "cannot be read as a GGUF file"),
    ("gguf-lists-in-lists", _file(gguf(_list("k", 9, 2, bytes(24)))), "cannot be read as a GGUF file"),
    ("gguf-text", _file(gguf(_key("k", 8, struct.pack("<Q", 10**15)))), "cannot be read as a GGUF file"),
    ("gguf-template", _file(gguf(_key("tokenizer.chat_template", 8, struct.pack("<Q", 2_000_000) + bytes(2_000_000)))),
     "tokenizer.chat_template .*1,000,000"),
    ("gguf-tokens", _file(gguf(_list("tokenizer.ggml.tokens", 8, 2_500_000))), "tokens .*at most 2,000,000"),
    ("gguf-layers", _file(gguf(_key("llama.block_count", 4, struct.pack("<I", 10**9)))), "block_count .*1,000 "),
    ("gguf-tensors", _file(gguf(tensors=10**9)), "the number of tensors"),
    ("gguf-keys", _file(gguf(keys=10**12)), "the number of keys"),
    ("gguf-weights", _file(gguf(tensors=1, rest=_tensor((10**9, 10**9)))), "cannot be read as a GGUF file"),
    ("gguf-dimensions", _file(gguf(tensors=1, rest=_tensor((1,) * 200))), "cannot be read as a GGUF file"),
    ("gguf-behind", _file(gguf(tensors=1, rest=_tensor((1,), offset=10**15))), "cannot be read as a GGUF file"),
    ("gguf-version", _file(gguf(version=99)), "cannot be read as a GGUF file"),
    ("gguf-empty", _file(b""), "cannot be read as a GGUF file"),
    ("gguf-kind", _file(gguf(_key("k", 77, b""))), "cannot be read as a GGUF file"),
    ("gguf-long", _file(gguf(*[_key("k", 8, struct.pack("<Q", 2 * 10**8))]), size=3 * 10**8), "bytes of its header"),
    ("gguf-folder", lambda folder: (_folder("m.gguf")(folder), str(folder / "m.gguf"))[1], "has no file"),
]  # fmt: skip
PATHS = [
    ("root", _at("/"), "config.json is missing"),
    ("proc", _at("/proc/self"), "config.json is missing"),
    ("a-file", _at("{}/model.safetensors/config.json"), "no folder"),
    ("zero", _at("{}/\0"), "no folder"),
    ("long-name", _at("/" + "x" * 5_000), "no folder"),
]
CASES = [
    *(Case(*each, NEED) for each in (*CONFIGS, *WEIGHTS, *GGUFS, *PATHS)),
    *(Case(*each, LOAD) for each in LOADS),
    *(Case(*each, TEXT) for each in TEXTS),
    *(Case(*each, CHAT) for each in CHATS),
]
