"""A trained network as a folder that `models.loading`, and transformers anywhere, can read; and back."""

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from playground.errors import PlaygroundError
from playground.files import cannot_write, new_folder
from playground.makers.training.network import NORM_EPS, Network, Shape
from playground.makers.training.text.tokenizer import END_OF_TEXT, read_tokenizer
from playground.models.sources.checkpoint import read_model
from playground.models.sources.gguf_file import check_readable, is_gguf

SHARD = "8MB"  # hosts of repositories refuse files above 10 MB
POSITIONS = 1024


def as_transformers(network: Network, *, dtype: torch.dtype = torch.float32, end: int | None = 0) -> Any:
    """Return the network as a `LlamaForCausalLM`.

    Args:
        end: the token that ends a text, if one does.
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    shape = network.shape
    config = LlamaConfig(
        vocab_size=shape.vocab,
        hidden_size=shape.width,
        intermediate_size=shape.feed_forward,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.groups or shape.heads,
        max_position_embeddings=POSITIONS,
        rms_norm_eps=NORM_EPS,
        rope_parameters={"rope_type": "default", "rope_theta": shape.rope_theta},
        tie_word_embeddings=shape.tied,
        bos_token_id=None,  # a text begins with no special token
        eos_token_id=end,
        pad_token_id=0,
    )
    model = LlamaForCausalLM(config)
    model.load_state_dict(network.state_dict())
    # wrapped by transformers in a way that types take for a function
    return model.to(dtype).eval()  # pyright: ignore[reportArgumentType]


def export(network: Network, tokenizer: Path, folder: Path) -> None:
    """Write weights in bfloat16, configuration and tokenizer; what was in the folder is replaced when all is written.

    Raises:
        PlaygroundError: if it cannot be written.
    """
    from transformers import PreTrainedTokenizerFast

    fast_tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=read_tokenizer(tokenizer),
        eos_token=END_OF_TEXT,
        pad_token=END_OF_TEXT,
        model_max_length=POSITIONS,
        clean_up_tokenization_spaces=False,
    )
    write_model(as_transformers(network, dtype=torch.bfloat16), fast_tokenizer, folder)


def write_model(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write a model and its tokenizer as transformers does; the folder is replaced when all is written.

    Raises:
        PlaygroundError: if it cannot be written, or the folder holds something else.
    """
    refuse_other_content(folder)
    try:
        with new_folder(folder) as whole:
            model.save_pretrained(whole, max_shard_size=SHARD)
            tokenizer.save_pretrained(whole)
    except SafetensorError as error:  # safetensors reports a full disk so.
        raise cannot_write(folder, error) from None


def refuse_other_content(folder: Path) -> None:
    """Refuse to replace what is no model: the run that is exported, above all, if the folders were mixed up."""
    if folder.exists() and not (folder / "config.json").is_file():
        raise PlaygroundError(f"{folder} is there already and is not an exported model. Choose another folder.")


def read_exported(folder: Path) -> Network:
    """Read the network in a folder that `export` wrote, or any Llama of the kind that `Network` is; also a GGUF file.

    Raises:
        PlaygroundError: if there is none.
    """
    from transformers import AutoModelForCausalLM

    parent, options = folder, {}
    if is_gguf(folder.name):
        check_readable(folder.name)
        parent, options = folder.parent, {"gguf_file": folder.name}
    elif not (folder / "config.json").is_file():
        raise PlaygroundError(f"{folder} holds no model: config.json is missing. Give a folder that was exported.")
    model, _ = read_model(AutoModelForCausalLM, parent, str(folder), dtype=torch.float32, **options)
    try:
        config = model.config
        shape = Shape(
            layers=config.num_hidden_layers,
            width=config.hidden_size,
            heads=config.num_attention_heads,
            feed_forward=config.intermediate_size,
            vocab=config.vocab_size,
            tied=config.tie_word_embeddings,
            groups=config.num_key_value_heads if config.num_key_value_heads != config.num_attention_heads else None,
            rope_theta=config.rope_parameters["rope_theta"],
        )
        network = Network(shape)
        network.load_state_dict(model.state_dict())
    except (ValueError, AttributeError, RuntimeError) as error:
        raise PlaygroundError(f"{folder} holds no model of this kind: {str(error).splitlines()[0]}") from None
    return network.eval()
