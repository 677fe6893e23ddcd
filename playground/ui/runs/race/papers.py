"""The comparisons of the papers on the page: set up by one click, seen and changed like any race, beside the paper.

The preset only fills the controls in. What then runs is what the controls say, and where that is not what the preset
asked for, the result says so.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import gradio as gr

from playground.papers.as_in_paper import reproduce
from playground.papers.preset import Preset, conditions_of
from playground.papers.presets import find_preset, presets
from playground.papers.printed import papers
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import on_page
from playground.ui.page.form import Controls
from playground.ui.page.messages import notice, say
from playground.ui.page.model_chooser import BUNDLED, REAL
from playground.ui.page.prompt_chooser import FIRST_SET, PRESET
from playground.ui.runs.race import lineup
from playground.ui.runs.race.setup import RaceForm, RaceSetup
from playground.views.reproduction import reproduction_charts
from playground.words import Word, english, paragraph, word

NAMES = {
    "rsd": "Recursive speculative decoding (RSD)",
    "importance_sampling": "Multi-draft by importance sampling",
    "dsbd": "Speculative beam decoding (DSBD)",
    "mtad": "Multi-token joint decoding (MTAD)",
    "atspeed": "AtSpeed, for recommenders",
}
REDUCED = "race_reduced_"  # begins the key of a sentence on what differs from a paper


class PaperNote(NamedTuple):
    """The parts of the page that say which paper's comparison is set up."""

    preset: gr.State
    about: gr.HTML
    leave: gr.Button


def paper_note() -> PaperNote:
    """Lay out the line on the comparison that is set up; it is empty where there is none."""
    with gr.Row(elem_id="race-paper-note"):
        about = notice(elem_id="race-paper")
        leave = gr.Button(
            word("race_leave_paper"), size="sm", visible=False, scale=0, min_width=130, elem_id="race-paper-leave"
        )
    return PaperNote(gr.State(""), about, leave)


def build(form: Controls[RaceForm], note: PaperNote) -> None:
    """Lay out a button for each comparison, below its paper; a press sets the race up and turns to it."""
    gr.Markdown(word("race_papers_about"), elem_classes="lead")
    for paper_id in sorted({preset.paper for preset in presets().values()}, key=list(NAMES).index):
        paper = papers()[paper_id]
        with gr.Column(elem_classes="paper"):
            gr.Markdown(f"**{NAMES[paper_id]}**  \n{paper.authors} {paper.year}, [arXiv {paper.arxiv}]({paper.link})")
            with gr.Row(elem_classes="paper-presets"):
                for preset in presets().values():
                    if preset.paper == paper_id:
                        button = gr.Button(subject_of(preset), size="sm", elem_id=f"preset-{preset.id}")
                        filled = button.click(
                            partial(set_up, preset.id),
                            form.some("pair"),
                            [note.about, note.leave, *form.components],
                            **HIDDEN,
                        )
                        filled.success(None, None, None, js=on_page("showRace"), **HIDDEN)


def subject_of(preset: Preset) -> Word:
    """Return a preset's title without its paper's name: "Table 7: the number of beams"."""
    return word(f"race_preset_{preset.id.replace('-', '_')}")


def title_of(preset: Preset) -> Word:
    """Return a preset's title: "MTAD, Table 7: the number of beams"."""
    return word("race_preset_of", paper=preset.title.split(", ", 1)[0], subject=subject_of(preset))


def reduced_of(preset: Preset) -> Word:
    """Differences of a preset from its paper, each sentence of its file by the key of its English."""
    return paragraph(*(_reductions().get(each, each) for each in re.split(r"(?<=\.) (?=[A-Z])", preset.reduced)))


@cache
def _reductions() -> dict[str, Word]:
    names = [key.removeprefix(REDUCED) for key in english() if key.startswith(REDUCED)]
    return {str(each): each for each in (word(f"race_reduced_{name}") for name in names)}


def preset_values(preset_id: str) -> dict[str, Any]:
    """Return the values of a preset for the form, by field; models and seed stay as they are."""
    preset = find_preset(preset_id)
    return {
        "paper": preset.id,
        "methods": [lineup.written(name, dict(options)) for name, options in preset.choices],
        "source": PRESET,
        "set": FIRST_SET,
        "prompts": preset.num_prompts,
        "tokens": preset.max_new_tokens,
        "repeats": preset.repeats,
        "temperature": preset.sampling.temperature,
        "top_k": preset.sampling.top_k,
        "top_p": preset.sampling.top_p,
    }


def set_up(preset_id: str, pair: str = BUNDLED) -> list[Any]:
    """Fill the form in, for the bundled pair in place of the chat model; (about, leave, *controls)."""
    values = preset_values(preset_id) | ({"pair": BUNDLED} if pair == REAL else {})
    return [*of_paper(preset_id), *filled_in(values)]


def filled_in(values: Mapping[str, Any]) -> list[Any]:
    """For the form's controls as outputs: these values by field, the menu of methods with all that are chosen."""
    methods = {"methods": chosen(values["methods"])} if "methods" in values else {}
    return RaceForm.updates({**values, **methods})


def chosen(methods: Sequence[str]) -> gr.Dropdown:
    """Return the line-up's menu with these entries in it."""
    listed = lineup.in_menu(methods)
    return gr.Dropdown(lineup.offered(listed), value=listed, multiselect=True)


def of_paper(preset_id: str) -> tuple[Any, Any]:
    """(about, leave) for this preset, or for none."""
    return say(about(preset_id) if preset_id else ""), gr.Button(visible=bool(preset_id))


def leave_paper() -> tuple[Any, ...]:
    """(preset, about, leave): the next race is nobody's but the user's own."""
    return "", *of_paper("")


def about(preset_id: str) -> str:
    """Return the preset that was set up, its differences from the paper, and its number of runs."""
    preset = find_preset(preset_id)
    size = word("race_paper_size", prompts=preset.num_prompts, runs=preset.num_runs)
    return paragraph(word("race_preset_sentence", title=title_of(preset)), reduced_of(preset), size)


def beside_paper(setup: RaceSetup, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the race next to its paper; None where it has none, or where no entry of the paper is left in it."""
    if not setup.paper:
        return None
    preset = find_preset(setup.paper)
    known = {(entry.method, tuple(entry.options.items())) for entry in preset.entries()[1:]}
    if not any((row["method"], tuple(row["options"].items())) in known for row in rows):
        return None
    titles = {label: each["title"] for label, each in setup.names().items()}
    titled = [{**row, "label": titles[row["label"]], "against": titles.get(row.get("against") or "")} for row in rows]
    reproduction = reproduce(preset, titled, conditions_of(setup))
    words = {"title": title_of(preset), "reduced": reduced_of(preset)}
    return reproduction | words | {"charts": reproduction_charts(reproduction["panels"])}
