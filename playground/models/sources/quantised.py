"""Weights that others have quantised: which kinds are read here, and what to do about each other kind."""

from pathlib import Path
from typing import NamedTuple

from playground.errors import PlaygroundError
from playground.models.sources.folder import CONFIG, read_object
from playground.models.sources.number_formats import refuse_without


class Kind(NamedTuple):
    """A kind of quantised weights that is read here."""

    title: str  # its name for people
    packages: tuple[str, ...]  # Reading it takes these.
    # weights in an item of the files where reading makes them plain numbers; 0 where they stay as they are
    numbers: int = 0


READ = {
    "fp8": Kind("FP8", ("accelerate",), 1),
    "mxfp4": Kind("MXFP4", ("accelerate",), 2),
    "bitsandbytes": Kind("bitsandbytes", ("bitsandbytes", "accelerate")),
}
MLX, UNNAMED = "mlx", "a kind that its config.json does not name"
NOT_READ = {
    "compressed-tensors": "compressed-tensors", "gptq": "GPTQ", "awq": "AWQ", "exl2": "ExLlamaV2 (EXL2)",
    "exl3": "ExLlamaV3 (EXL3)", MLX: "Apple's MLX", "modelopt": "NVIDIA's ModelOpt", "auto-round": "AutoRound",
    "hqq": "HQQ", "quanto": "Quanto", "aqlm": "AQLM", "torchao": "torchao", "fbgemm_fp8": "FBGEMM (FP8)",
    "quark": "AMD's Quark", "bitnet": "BitNet",
}  # fmt: skip


def quantised_kind(config: dict[str, object]) -> str:
    """Return the kind of quantised weights that a configuration describes; empty where they are plain numbers."""
    if isinstance(config.get("quantization"), dict):  # its own converter writes the copy that others read, too
        return MLX
    about = config.get("quantization_config") or config.get("compression_config")
    if not about:
        return ""
    return str(about.get("quant_method") or UNNAMED).lower() if isinstance(about, dict) else UNNAMED


def find_quantised(folder: Path, title: str) -> Kind | None:
    """Return the kind of quantised weights in a folder, one that is read here; None for plain numbers.

    Raises:
        PlaygroundError: if the kind is not read here, or takes a package that is not installed.
    """
    file = folder / CONFIG
    if not file.is_file():
        return None
    kind = quantised_kind(read_object(file, title))
    if kind in READ:
        refuse_without(f"{title} is quantised by {READ[kind].title}. Reading it needs", *READ[kind].packages)
    elif kind:
        raise PlaygroundError(
            f"{title} is quantised by {NOT_READ.get(kind, kind)}, which is not read here. Choose a GGUF file of the "
            "same model, whose matrices are read in the bits that they are saved in."
        )
    return READ.get(kind)
