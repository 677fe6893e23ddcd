"""Folders and files of models that would do harm, made here: each is a whole model but for one thing.

A case is a function of a folder with a whole model in it, which it spoils, with the words that its refusal must have.
`CASES` are refused by what is read of their files; `STRANGE` run away with memory or time, and only a child may try.
"""

import json
import os
import struct
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from playground.models.bundled import BUNDLED
from tests.models.test_loading import llama, save_model


class Case(NamedTuple):
    """A model that would do harm."""

    name: str  # The folder has it.
    spoil: Callable[[Path], str | None]  # changes the folder; returns a path to be named in its place, or None
    words: str  # an expression that the refusal matches


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


def _replace(letters: str, size: int) -> list[dict]:
    return [{"type": "Replace", "pattern": {"String": letter}, "content": letter * size} for letter in letters]


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


LARGEST = "published models have at most 100,000,000"
CONFIGS = [
    (
        "layers",
        _config(num_hidden_layers=1_000_000_000),
        f"num_hidden_layers in config.json is 1,000,000,000.*{LARGEST}",
    ),
    ("no-key-of-ours", _config(something={"else": [1, 10**9]}), f"else in config.json is 1,000,000,000.*{LARGEST}"),
    ("infinite", _config(anything=float("inf")), f"anything in config.json is inf.*{LARGEST}"),
    ("no-layers", _config(num_hidden_layers=0), "its num_hidden_layers is 0, and must be at least 1"),
    ("layers-nan", _config(num_hidden_layers=float("nan")), "'num_hidden_layers' expected int, got float"),
    ("heads", _config(num_attention_heads=0), r"no model can be made of \(integer .*modulo by zero\)"),
    ("code", _config(attn_implementation="kernels-community/flash-attn"), "names code of the Hub"),
    ("deep", _written("config.json", _nested(100_000)), "is nested too deeply"),
    ("digits", _written("config.json", b'{"vocab_size": ' + b"9" * 5_000 + b"}"), "config.json is not JSON"),
    ("list", _written("config.json", b"[1]"), "not a JSON object"),
    ("no-json", _written("config.json", b"{"), "config.json is not JSON"),
    ("long", _written("config.json", b"{}", size=2_000_000), "bytes of config.json is 2,000,000"),
    ("config-pipe", _pipe("config.json"), "config.json is a pipe"),
    ("config-folder", _folder("config.json"), "config.json is a folder"),
    ("adapter", _written("adapter_config.json", b"{}"), "adapter of another model"),
    ("generation-pipe", _pipe("generation_config.json"), "generation_config.json is a pipe"),
    ("tokenizer-pipe", _pipe("tokenizer.json"), "tokenizer.json is a pipe"),
]
WEIGHTS = [
    ("header-90-mb", _written("model.safetensors", struct.pack("<Q", 90_000_000), size=91_000_000), "not a safe"),
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
    ("bomb", _old_weights(_bomb), "unpacks to 20,000,000 bytes"),
    ("old-folder", _old_weights(Path.mkdir), "pytorch_model.bin is a folder"),
]
GGUFS = [
    ("gguf-list", _file(gguf(_list("k", 4, 10**12))), "cannot be read as a GGUF file"),
    ("gguf-texts", _file(gguf(_list("k", 8, 2_999_999))), "cannot be read as a GGUF file"),
    ("gguf-lists-in-lists", _file(gguf(_list("k", 9, 2, bytes(24)))), "cannot be read as a GGUF file"),
    ("gguf-text", _file(gguf(_key("k", 8, struct.pack("<Q", 10**15)))), "cannot be read as a GGUF file"),
    ("gguf-tensors", _file(gguf(tensors=10**9)), "cannot be read as a GGUF file"),
    ("gguf-keys", _file(gguf(keys=10**12)), "cannot be read as a GGUF file"),
    ("gguf-weights", _file(gguf(tensors=1, rest=_tensor((10**9, 10**9)))), "cannot be read as a GGUF file"),
    ("gguf-dimensions", _file(gguf(tensors=1, rest=_tensor((1,) * 200))), "cannot be read as a GGUF file"),
    ("gguf-behind", _file(gguf(tensors=1, rest=_tensor((1,), offset=10**15))), "cannot be read as a GGUF file"),
    ("gguf-version", _file(gguf(version=99)), "cannot be read as a GGUF file"),
    ("gguf-empty", _file(b""), "cannot be read as a GGUF file"),
    ("gguf-kind", _file(gguf(_key("k", 77, b""))), "cannot be read as a GGUF file"),
    ("gguf-long", _file(gguf(*[_key("k", 8, struct.pack("<Q", 2 * 10**8))]), size=3 * 10**8), "bytes of its header"),
    ("gguf-folder", lambda folder: (_folder("m.gguf")(folder), str(folder / "m.gguf"))[1], "has no file"),
]
PATHS = [
    ("root", _at("/"), "config.json is missing"),
    ("proc", _at("/proc/self"), "config.json is missing"),
    ("a-file", _at("{}/model.safetensors/config.json"), "no folder"),
    ("zero", _at("{}/\0"), "no folder"),
    ("long-name", _at("/" + "x" * 5_000), "no folder"),
]
SQUARED = {"model_type": "gpt_neo", "num_layers": 1, "num_heads": 2}
PLANNED = [
    (
        "positions-squared",
        _config(**SQUARED, attention_types=[[["global"], 1]], max_position_embeddings=2_000_000),
        "needs .* of memory",
    ),
    ("old-noise", _old_weights(lambda file: file.write_bytes(b"noise" * 100)), "cannot be loaded"),
]
CASES = [Case(*each) for each in (*CONFIGS, *WEIGHTS, *GGUFS, *PATHS, *PLANNED)]

# -- models that run away ----------------------------------------------------------------------------------------------

GROWS = {"type": "Sequence", "normalizers": _replace("aa", 64)}


def _prefixes(folder: Path) -> None:
    vocabulary = {"x" * length: length - 1 for length in range(1, 7_000)}
    _tokenizer(model={"type": "BPE", "vocab": vocabulary, "merges": [[each, "x"] for each in vocabulary][:-1]})(folder)


def _long_pieces(folder: Path) -> None:
    pieces = [["x" * length, -1.0] for length in range(1, 7_000)]
    _tokenizer(model={"type": "Unigram", "unk_id": 0, "vocab": pieces})(folder)


def _many_lines(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    with (folder / "vocab.txt").open("w") as file:
        file.write("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
        file.writelines(f"w{number}\n" for number in range(3_000_000))


def _many_merges(folder: Path) -> None:
    letters = [chr(0x4E00 + number) for number in range(1_225)]
    pairs = [(first, second) for first in letters for second in letters]
    vocabulary = {text: number for number, text in enumerate([*letters, *map("".join, pairs)])}
    _tokenizer(model={"type": "BPE", "vocab": vocabulary, "merges": [list(pair) for pair in pairs]})(folder)


def _past_our_folder(folder: Path) -> str:
    _config(num_labels=30_000_000)(folder)
    return f"{BUNDLED}/target{'/..' * len(BUNDLED.parts)}{folder}"


STRANGE = [
    Case("labels", _config(num_labels=30_000_000), "took more than"),
    Case("past-our-folder", _past_our_folder, "took more than"),
    Case("attention-types", _config(**SQUARED, attention_types=[[["global"], 90_000_000]]), "took more than"),
    Case("a-million-layers", _config(num_hidden_layers=1_000_000), "took more than"),
    Case("experts", _config(model_type="mixtral", num_hidden_layers=10_000, num_local_experts=1_000), "took more than"),
    Case("grows-twice", _tokenizer(normalizer=GROWS), "took more than"),
    Case("decoder-grows", _tokenizer(decoder=GROWS | {"decoders": GROWS["normalizers"]}), "took more than"),
    Case("word-without-length", _tokenizer(model={"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "b": 2},
         "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 10**9}),
         "took more than"),
    Case("prefixes", _prefixes, ""),
    Case("long-pieces", _long_pieces, ""),
    Case("many-lines", _many_lines, ""),
    Case("many-merges", _many_merges, ""),
]  # fmt: skip
