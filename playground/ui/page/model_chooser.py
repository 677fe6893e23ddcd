"""The choice of models: a pair of the catalogue, or any two that the reader names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import gradio as gr

from playground.bench.grid import Grid
from playground.environment import has_model
from playground.errors import PlaygroundError, did_you_mean
from playground.models.catalog import PAIRS, Pair
from playground.models.drafters.choice import BLOCKS, DRAFT, FOREIGN, HEAD, MTP, SUFFIX
from playground.models.drafters.choice import OTHER as OTHER_DRAFT
from playground.models.sources.memory_estimate import amount
from playground.ui.live.zero_gpu import is_lent
from playground.ui.page.controls import HIDDEN
from playground.words import paragraph, word

if TYPE_CHECKING:
    from playground.models.loading import Models
    from playground.models.sources.placement import Placement

BUNDLED, REAL = "bundled", "smollm2-135m"
EXITS = (2, 4, 6, 8, 10)  # The menu of drafters offers these layers of the target.
BETWEEN = " + "  # It joins the names of two models that are in no catalogue to the pair of a grid.
OTHER = "other"  # the choice of a pair that opens two fields for any models
ANY_TWO = word("models_any_two")
REFUSED = word("watch_error_refused")


@dataclass(frozen=True, slots=True)
class Offer:
    """The models that a server lets its clients run."""

    only_bundled: bool = False  # whether they may load nothing but the bundled pair
    is_public: bool = False  # whether strangers are among the clients, see served/names.py: models are then the host's
    names: tuple[str, ...] = ()  # the models that the host of a public page offers besides the catalog
    any_model: bool = False  # whether clients of a public page may name any model all the same
    # device, dtype, bits: where models run, see `find_placement`
    device: str = "auto"
    dtype: str = "auto"
    bits: int | None = None
    opens_on: str = BUNDLED  # the pair of the recorded run that the page opens on, BUNDLED or REAL

    @property
    def takes_any(self) -> bool:
        """True if a client may name any model."""
        return not self.only_bundled and (self.any_model or not self.is_public)

    @property
    def pairs(self) -> list[str]:
        """The choices of a pair: those of the catalog, and `OTHER` where there are other models."""
        has_others = self.takes_any or (self.names and not self.only_bundled)
        known = [BUNDLED] if self.only_bundled else [pair.id for pair in PAIRS]
        return [*known, OTHER] if has_others else known


_offer = Offer()
_has_lent_gpu = False


def offer(this: Offer) -> None:
    """Decide what this server lets its clients run; before the page is built.

    Raises:
        PlaygroundError: if the device is not there.
    """
    global _offer
    if (this.device, this.dtype, this.bits) != ("auto", "auto", None):
        from playground.models.sources.placement import find_placement

        find_placement(this.device, this.dtype, this.bits)
    _offer = this


def is_offered(pair: str) -> bool:
    """Return whether this server runs the models of such a choice, if they can be had."""
    return pair in _offer.pairs or not (_offer.only_bundled or pair == OTHER)  # an unknown one is refused by its name


def real_pair() -> str:
    """Return the real chat model's pair where it is installed, else the bundled one."""
    return REAL if has_model() else BUNDLED


def pair_of_opening() -> str:
    """Return the pair of the recorded run that the page opens on."""
    return _offer.opens_on


def may_install() -> bool:
    """Return whether clients may have a package installed here, as it is a machine of their own."""
    return not (_offer.only_bundled or _offer.is_public)


def is_small_space() -> bool:
    """Return whether this is a Space of the Hub with neither a GPU of its own nor one lent by the call."""
    import torch

    return "SPACE_ID" in os.environ and not is_lent() and not torch.cuda.is_available()


def pair_field(elem_id: str | None = None, pair: str = BUNDLED) -> gr.Dropdown:
    """Return the choice of a pair, at first this one."""
    return gr.Dropdown(_choices(), value=pair, label=word("models"), info=_note(pair), elem_id=elem_id)


def model_fields(pair: gr.Dropdown) -> dict[str, gr.Dropdown | gr.Textbox]:
    """pair, and beside it target and draft for any two models, which are seen where `OTHER` is chosen."""
    with gr.Row(visible=False) as row:
        target, draft = (_name_field(each) for each in ("target_model", "draft_model"))
    pair.change(choose_pair, pair, [pair, row], trigger_mode="multiple", **HIDDEN)
    for field in (target, draft):
        named = [field.change] if isinstance(field, gr.Dropdown) else [field.submit, field.blur]
        gr.on(named, say_need, [target, draft], pair, **HIDDEN)
    return {"pair": pair, "target": target, "draft": draft}


def _name_field(key: str) -> gr.Dropdown | gr.Textbox:
    """Return a field for the name of a model: any, or one of those that the host offers."""
    label, info = word(key), word(f"{key}_info")
    if _offer.takes_any:
        return gr.Textbox("", label=label, info=info, max_lines=1, max_length=400)
    # What is typed is refused in our words where it is not offered.
    return gr.Dropdown(["", *_offer.names], value="", label=label, info=info, allow_custom_value=True)


def drafter_field(elem_id: str | None = None) -> gr.Dropdown:
    """Make the choice of a drafter: a model of the pair, the target's head or layers, the text, or a typed one."""
    drafters = [OTHER_DRAFT, FOREIGN, HEAD, MTP, *BLOCKS, *(f"exit{depth}" for depth in EXITS), SUFFIX]
    return gr.Dropdown(
        [(word("draft_model"), DRAFT), *((word(f"drafter_{each}"), each) for each in drafters)],
        value=DRAFT,
        label=word("drafter"),
        info=word("drafter_info"),
        allow_custom_value=True,
        elem_id=elem_id,
    )


def choose_pair(pair: str) -> tuple[gr.Dropdown, gr.Row]:
    """Return the pair's note with the memory it takes, and the fields for other models where they are wanted."""
    note = _note(pair)
    if pair not in (BUNDLED, OTHER) and is_offered(pair):
        note = f"{note} {_need_in_words(pair, None, None)}"
    return gr.Dropdown(info=note), gr.Row(visible=pair == OTHER and is_offered(pair))


def _note(pair: str) -> str:
    """Return a sentence on a pair."""
    others = ANY_TWO if _offer.takes_any else ""
    notes = {each.id: each.note for each in PAIRS} | {BUNDLED: word("models_bundled"), OTHER: others}
    return notes.get(pair, "")


def say_need(target: str | None, draft: str | None) -> gr.Dropdown:
    """Return the memory of the models in the fields, above them; or why they cannot be had."""
    return gr.Dropdown(info=_need_in_words(OTHER, target, draft) if (target or "").strip() else _note(OTHER))


def pair_named(pair: str, target: str | None, draft: str | None) -> str:
    """Return the models that the controls name as a grid has them, in one text.

    Raises:
        PlaygroundError: on an unknown pair, or where the target's name is missing.
    """
    if pair != OTHER:
        known = [each.id for each in PAIRS]
        if pair not in known:
            raise PlaygroundError(paragraph(word("unknown_pair", name=repr(pair)), did_you_mean(str(pair), known)))
        return pair
    if not (target or "").strip():
        raise PlaygroundError(word("sweep_no_target"))
    return f"{(target or '').strip()}{BETWEEN}{(draft or '').strip()}"


def models_of(grid: Grid) -> tuple[str, str, str]:
    """Return a grid's models as the controls name them: (pair, target, draft)."""
    target, between, draft = grid.pair.partition(BETWEEN)
    return (OTHER, target, draft) if between else (grid.pair, "", "")


def chosen_models(pair: str, target: str | None, draft: str | None, drafter: str = DRAFT) -> Models:
    """Return the models that the controls name; none of their weights is read.

    Raises:
        PlaygroundError: if there are none, or this server does not offer them.
    """
    from playground.models.loading import Models  # brings transformers, which takes seconds
    from playground.models.rehearsal import StrangeModels

    names = (target or "").strip(), (draft or "").strip()
    is_host_s = pair != OTHER or not any(name and name not in _offer.names for name in names)
    if not is_offered(pair) or not (is_host_s or _offer.takes_any):  # nothing is looked for, so nothing is told of it
        raise PlaygroundError(REFUSED)
    if pair != OTHER:
        return Models.named(pair, drafter=drafter, placement=_hardware())
    kind = Models if is_host_s else StrangeModels
    return kind(names[0], names[1] or None, drafter=drafter, placement=_hardware())


@contextmanager
def on_lent_gpu() -> Iterator[None]:
    """Inside, models run on the GPU that this process has been lent; elsewhere such a Space has a processor only."""
    global _has_lent_gpu
    _has_lent_gpu = True
    try:
        yield
    finally:
        _has_lent_gpu = False


def _hardware() -> Placement:
    """Return the device and format in which models run now."""
    from playground.models.sources.placement import find_placement  # brings torch

    device = "cpu" if _offer.device == "auto" and is_lent() and not _has_lent_gpu else _offer.device
    return find_placement(device, _offer.dtype, _offer.bits)


def _need_in_words(pair: str, target: str | None, draft: str | None) -> str:
    """Return the memory of models, or why they cannot be had."""
    try:
        return chosen_models(pair, target, draft).memory().sentence(_hardware())
    except PlaygroundError as error:
        return str(error)


def _choices() -> list[tuple[str, str]]:
    """(label, id) of every pair that is offered, and the way to any other."""
    labels = {pair.id: _label(pair) for pair in PAIRS} | {OTHER: word("models_other")}
    return [(labels[pair], pair) for pair in _offer.pairs]


def _label(pair: Pair) -> str:
    if pair.is_bundled:
        return pair.title
    return f"{pair.title} ({amount(pair.memory_bytes(2))}{', gated' if pair.gated else ''})"
