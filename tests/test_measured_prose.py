"""Prose on measurements is held to the files that they were written to."""

import gzip
import json
import re
from pathlib import Path
from statistics import median

import pytest

from playground import exactness, recommender
from playground.decoding.methods import importance_sampling
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.goodness_of_fit import visible_distance
from playground.makers.recommender import card as recommenders
from playground.makers.training.kinds import BESIDE
from playground.makers.training.pair import card
from playground.makers.training.pair.card import CARDS
from playground.trace.storage import load
from playground.views.standalone import standalone_html
from tests.tables import (
    ASSETS,
    CHAT_TIMES,
    EVALUATION,
    LLAMA,
    LOSSLESSNESS,
    SEVERAL_DRAFTS,
    SHOP,
    TIMES,
)

CONTEXTS = ASSETS / "contexts.json"
TRACES = sorted((ASSETS / "traces").glob("*.json.gz"))


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def questions():
    return " ".join((ASSETS / "lab" / "questions.md").read_text(encoding="utf-8").split())


def test_what_a_check_can_see_is_what_the_exactness_readme_says_and_of_the_claim_that_it_names():
    """The sentence whole: of another claim the distances are others."""
    distribution = EXPERIMENTS["target sampling"].distribution(None)

    def seen(num_runs):
        return visible_distance([({text: round(num_runs * p) for text, p in distribution.items()}, distribution)])

    few, many = (f"{seen(num_runs):.2g}".removeprefix("0") for num_runs in (20_000, 1_000_000))
    sentence = (
        "it says from which distance on a deviation would have shown 9 times in 10, whatever its direction (of target "
        f"sampling {few} with 20,000 runs, {many} with a million)"
    )
    assert sentence in " ".join(Path(exactness.__file__).with_name("README.md").read_text(encoding="utf-8").split())


def test_a_claim_has_a_million_runs_and_what_claims_nothing_as_many_as_the_exactness_readme_says():
    runs = {
        claim: {row["samples"] for row in read(LOSSLESSNESS) if (row["reproduces"] != "none") == claim}
        for claim in (True, False)
    }
    assert runs == {True: {1_000_000}, False: {200_000}}
    readme = Path(exactness.__file__).with_name("README.md").read_text(encoding="utf-8")
    assert "[a million runs](playground/exactness/README.md)" in (ASSETS.parent / "README.md").read_text(
        encoding="utf-8"
    )
    assert "were made apart, by `check METHOD --samples 200000 --seed 0`" in readme


def times(name):
    """Target calls, draft efficiency, tokens/s, speed-up and block efficiency of each row of a table of times."""
    lines = (ASSETS / name).read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| `")]
    return [
        (int(row[1]), float(row[5] or "nan"), *(float(row[at].replace(",", "").split()[0]) for at in (7, 8, 6)))
        for row in rows
    ]


def test_what_the_first_readme_says_below_its_table_of_times_follows_from_it():
    """In 32 bits, too, and with 32 drafts."""
    halves, wholes = (times(name) for name in TIMES)
    many = halves[-1]
    assert many[1] < 0.5, "most are thrown away"
    questions = (ASSETS / "lab" / "questions.md").read_text(encoding="utf-8")
    assert f"the most tokens a call, {many[4]:.2f}, and less than half of plain decoding's" in " ".join(
        questions.split()
    )
    assert many[4] == max(row[4] for row in halves) and many[3] < 0.5
    assert all(half[2] > whole[2] for half, whole in zip(halves, wholes, strict=True)), "32 bits are slower"
    assert all(half[3] < whole[3] for half, whole in zip(halves[1:], wholes[1:], strict=True)), "and gain more"
    assert many[3] < 1 and wholes[-1][3] < 1, "slower than plain decoding"


def test_acceptance_by_context_is_as_a_question_of_the_lab_says():
    rates = {point["length"]: f"{point['rate']:.2f}" for point in read(CONTEXTS)["points"]}
    said = f"accepts {rates[128]} behind 128 tokens and {rates[384]} behind 384, then {rates[1024]} behind 1,024"
    assert said in questions()


def test_the_engine_is_ahead_of_llama_cpp_in_all_rows_but_one_as_the_first_readme_says():
    reports = read(LLAMA)
    assert len({report["conditions"]["processor"] for report in reports}) == len(reports) == 2
    rows = [row for report in reports for row in report["rows"]]
    behind = [row for row in rows if row["ours"]["step"] >= row["llama"]["step"]]
    assert len(rows) == 28 and {row["threads"] for row in rows} == {1, 2}
    assert [(row["size"], row["threads"]) for row in behind] == [("1.7B", 2)]
    assert behind[0]["llama"]["step"] / behind[0]["ours"]["step"] > 0.93


def test_the_head_alone_is_faster_on_the_chat_model_as_the_first_readme_says():
    """Its interval alone is above 1."""
    lines = (ASSETS / CHAT_TIMES).read_text(encoding="utf-8").splitlines()
    rows = [line.split("|") for line in lines if line.startswith("| `")]
    lows = {row[1].strip(" `"): float(re.findall(r"\(([\d.]+) to", row[-2])[0]) for row in rows}
    assert len(lows) == 5 and [name for name, low in lows.items() if low > 1] == ["speculative_sampling"]


def test_what_is_said_of_several_drafts_follows_from_their_table():
    """In makers/README, case by case, and in the docstring of the method: beyond chance is an interval without 0."""
    settings = read(SEVERAL_DRAFTS)["settings"]

    def orders(setting):
        return {
            rival: [(row["above"][rival]["low"] > 0) - (row["above"][rival]["high"] < 0) for row in setting["rows"]]
            for rival in ("k_seq", "spec_infer")
        }

    assert [setting["top_p"] for setting in settings] == [1, 0.95]
    assert orders(settings[0]) == {"k_seq": [-1, -1, -1], "spec_infer": [1, 0, -1]}
    assert orders(settings[1]) == {"k_seq": [1, -1, -1], "spec_infer": [1, 1, 0]}
    rows = [row["schemes"] for setting in settings for row in setting["rows"]]
    assert all(0 <= row["optimal_with_replacement"] - row["importance_pooled"] < 0.002 for row in rows)
    named = ("importance_truncated", "spec_infer", "k_seq", "importance_pooled", "optimal_with_replacement")
    four, names = rows[2], (*named, "speculative")
    said = re.findall(r"(?<![\d.])\.\d{3}(?!\d)", importance_sampling.__doc__.partition("By the command")[2])
    assert said == [f"{four[name]:.3f}".removeprefix("0") for name in names]
    assert settings[0]["positions"] == 600


def test_sizes_of_files_are_as_the_docstrings_and_readmes_say():
    """Gzip: three to eight times smaller. A trace: .1 to .5 KB per token. An exported page: 0.8 MB. A head: 9.31."""
    ratios = [len(gzip.decompress(path.read_bytes())) / path.stat().st_size for path in TRACES]
    assert 3 < min(ratios) < median(ratios) < max(ratios) < 8.5
    per_token = [path.stat().st_size / load(path).events[-1].num_tokens for path in TRACES]
    assert 50 < min(per_token) < max(per_token) < 500
    longest = load(max(TRACES, key=lambda path: path.stat().st_size))
    assert len(standalone_html(longest).encode()) == pytest.approx(800_000, rel=0.15)
    assert (ASSETS / "models" / "smollm2-135m" / "head" / "head.safetensors").stat().st_size == pytest.approx(
        9.31e6, 1e-3
    )


def test_what_the_recommenders_readme_says_of_the_papers_versions_follows_from_its_tables():
    """Its list *What the paper leads one to expect*, item by item."""
    rows = read(SHOP)["rows"]

    def column(rule, k, name="as"):
        return {row["version"]: row[name]["mean"] for row in rows if (row["verification"], row["k"]) == (rule, k)}

    def ranked(rule, k, name="as"):
        return sorted(column(rule, k, name), key=lambda version: -column(rule, k, name)[version])

    lengths = (1, 3, 5, 10, 20)
    for version in column("strict", 1):
        strict, relaxed = ([column(rule, k)[version] for k in lengths] for rule in ("strict", "relaxed"))
        assert strict == sorted(strict, reverse=True) and relaxed[0] - relaxed[-1] < strict[0] - strict[-1]
    bounds = {k: [row["as"] for row in rows if (row["verification"], row["k"]) == ("strict", k)] for k in lengths}
    assert all(max(each["low"] for each in bounds[k]) <= min(each["high"] for each in bounds[k]) for k in (1, 3, 5))
    assert ranked("strict", 10)[-1] == ranked("strict", 20)[-1] == "atspeed_s"
    assert (ranked("strict", 10)[0], ranked("strict", 20)[0]) == ("sequence_kd", "word_kd")
    assert all(column("relaxed", k)["atspeed_r"] == min(column("relaxed", k).values()) for k in (1, 3))
    assert all(ranked("relaxed", k)[:2] == ["atspeed_s", "atspeed_r"] for k in (5, 10))
    assert ranked("relaxed", 20)[0] == "atspeed_s"
    assert all(ranked("relaxed", k, "recall")[-1] == "atspeed_s" for k in (3, 5, 10, 20))
    assert all(row["ws"]["median"] < 1 for row in rows if row["verification"] in ("strict", "relaxed")), "not faster"


def test_the_calls_of_strict_verification_are_those_that_recommender_check_counted():
    """500 users, list by list, in the sentence of the README."""
    first, *others = read(SHOP.parent / "strict.json")
    assert all(row["same"] == row["users"] == 500 and not row["unknown"] for row in (first, *others))
    calls = ", ".join(f"{row['strict_calls']:,} at {row['k']}" for row in others)
    instead = f"target calls instead of {first['beam_search_calls']:,} at K = {first['k']}"
    sentence = f"with {first['strict_calls']:,} {instead}, {calls}"
    readme = Path(recommender.__file__).with_name("README.md")
    assert sentence in " ".join(readme.read_text(encoding="utf-8").split())


def test_what_a_readme_says_of_the_targets_own_text_follows_from_measurements():
    measured = read(EVALUATION)
    assert measured["on_text_of_the_target"]["acceptance_1.0"] > measured["on_held_out_text"]["acceptance_1.0"]


# Numbers of prose that no table writes: what each is where it is no measurement, or the test that holds it. By file,
# or by the key of a word
NO_MEASUREMENT = "a setting, a limit or a version"
LEVEL = "the level of an interval"
THEIRS = "published by others, with the address beside it"
LOAD = "tests/lab/test_load.py"
SETTLED = {
    "README.md": {
        "3.11": "the oldest Python",
        "93 MB": "size of a package on PyPI",
        "0.8": "test_sizes_of_files_are_as_the_docstrings_and_readmes_say",
    },
    "playground/bench/README.md": {
        "95 %": LEVEL,
        "93 of 100": "tests/metrics/test_interval.py",
        "13 in 100": "tests/metrics/test_interval.py",
    },
    "playground/exactness/README.md": {
        "0.0001": "the level below which a method differs",
        "9 times": "test_what_a_check_can_see_is_what_the_exactness_readme_says_and_of_the_claim_that_it_names",
        ".034": "the same",
        ".005": "the same",
    },
    "playground/lab/README.md": {"4 %": LOAD, "0.9": LOAD, "23 %": LOAD},
    "playground/makers/README.md": {"95 %": LEVEL, "0.95": "top-p"},
    "playground/models/README.md": {"32 MB": NO_MEASUREMENT, "4.5": NO_MEASUREMENT},
    "playground/notebook/README.md": {"0.8": "test_sizes_of_files_are_as_the_docstrings_and_readmes_say"},
    "playground/recommender/README.md": {
        **dict.fromkeys(("45 %", "15 %", "30 %", "10 %"), "settings of the invented shop"),
        "95 %": LEVEL,
        "20 times": "K = 20, by arithmetic",
    },
    "playground/servers/README.md": {"0.8": NO_MEASUREMENT, "5.24": NO_MEASUREMENT},
    "playground/ui/THREATS.md": dict.fromkeys(("500 MB", "300 MB", "3 GB", "1 GB", "100 MB"), NO_MEASUREMENT),
    "assets/models/smollm2-135m/head/README.md": {"9.31": "test_sizes_of_files_are_as_the_docstrings_and_readmes_say"},
    "assets/lab/questions.md": {
        **dict.fromkeys(("97 %", "2.7", "2.74", "46 tokens/s", "3.22", "1.80"), THEIRS),
        **dict.fromkeys(("0.97", "1.97", "1.98"), "by formula, in the lab's own section"),
        **dict.fromkeys(("0.76", "0.51"), CONTEXTS),
        "4.27": "test_what_the_first_readme_says_below_its_table_of_times_follows_from_it",
    },
    "playground/log_behind_a_rejection": {"0.8": NO_MEASUREMENT},
    "playground/model_install": {"93 MB": "size of a package on PyPI"},
    "playground/model_installing": {"93 MB": "size of a package on PyPI"},
    "playground/race_server_since": {"4.45": NO_MEASUREMENT},
    "playground/race_server_transformers": {"0.4": NO_MEASUREMENT},
    "playground/race_server_llama": {"0.75": NO_MEASUREMENT},
    "playground/lossless_so_far": {"98 of 100": "tests/exactness/test_goodness_of_fit.py"},
    "playground/lab_source_l40": {"30 %": THEIRS},
    "playground/lab_source_deepseek": {"100 ms": THEIRS},
    "playground/race_reduced_figure4": {"1.2": NO_MEASUREMENT},
    "playground/race_reduced_table13": {"3.2": "a section"},
    "playground/broken.unlikely_dropped.mistake": {"0.3": NO_MEASUREMENT},
    "playground/broken.lenience.mistake": {"1.5": NO_MEASUREMENT},
    "playground/broken.lenience.why": {"1.5": NO_MEASUREMENT},
    "playground/broken.top_p_after_test.mistake": {"0.6": NO_MEASUREMENT},
    "lab/losslessness/bench_band": {"98 of 100": "tests/exactness/test_goodness_of_fit.py"},
    "lab/speed/nodes_a100": {"80 GB": "the name of a device"},
    "lab/speed/shape_beams_help": {"3.2": "a theorem"},
    "lab/speed/load_table_h100": {"1.6": "assets/gpu.json"},
    "lab/servers/log_large": {"10 MB": NO_MEASUREMENT},
    "lab/speed/runs_large": {"10 MB": NO_MEASUREMENT},
}
LEVELS = ("95 %", "95%")  # A word of the page that has nothing else names an interval.
# Texts that a command writes from figures of a file of assets, with machine and day, and tests hold to it; BEAUTY.md is
# the dated record of data that cannot be passed on
WRITTEN = (
    "assets/models/",
    "assets/shop/models/",
    "assets/times",
    "assets/architectures.md",
    "playground/recommender/BEAUTY.md",
)
BY_HAND = ("assets/models/smollm2-135m/head/README.md",)
MEASURED = re.compile(
    r"(?<![\w/.:,-])(?:\d*\.\d+(?!\.?\d|\w)|\d+ (?:of|in) (?:100|1,000)\b|"
    r"\d[\d,.]* ?(?:tokens/s|ms|mJ|GB|MB)\b|\d[\d.,]* ?%|\d[\d.,]*×|\d[\d.]* times\b)"
)
NOT_PROSE = re.compile(  # tables between their marks, front matter, code, addresses, and numbers of papers
    r"\A---.*?\n---|<!-- (\w+):begin -->.*?<!-- \1:end -->|```.*?```|`[^`\n]*`|\]\([^)]*\)|arXiv:? ?\d{4}\.\d{5}",
    re.DOTALL,
)


def prose():
    """Every text that readers see: READMEs and cards by their path, words of the page by their key."""
    root = ASSETS.parent
    paths = [root / "README.md", *sorted(root.glob("playground/**/*.md")), *sorted(ASSETS.glob("**/*.md"))]
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    for table, words in read(ASSETS / "languages" / "en.json").items():
        texts |= {f"{table}/{key}": text if isinstance(text, str) else json.dumps(text) for key, text in words.items()}
    return {
        name: NOT_PROSE.sub("", text) for name, text in texts.items() if name in BY_HAND or not name.startswith(WRITTEN)
    }


def test_every_measured_number_of_prose_is_in_a_table_that_a_command_writes_or_has_a_test():
    """A number without a table is a setting, a level, others', or held by the test that is named."""
    numbers = {name: MEASURED.findall(text) for name, text in prose().items()}
    unknown = {
        name: set(found) ^ set(SETTLED.get(name, LEVELS if set(found) <= set(LEVELS) else ()))
        for name, found in numbers.items()
        if found and not (name not in SETTLED and set(found) <= set(LEVELS))
    }
    assert not {name: each for name, each in unknown.items() if each}
    assert SETTLED.keys() <= {name for name, found in numbers.items() if found}, "gone from the text"
    print(f"{sum(map(len, numbers.values()))} numbers of prose, none of them without a file, a test or a name")


LANGUAGES = ("de", "es", "fr", "ja", "zh")


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_says_the_numbers_of_the_english(code):
    """Decimal fractions and percents, as others write them."""
    words = {key: text for table in read(ASSETS / "languages" / "en.json").values() for key, text in table.items()}
    translated, number = (
        read(ASSETS / "languages" / f"{code}.json"),
        re.compile(r"(?<![\w.,{])\d+[.,]\d{1,2}(?![.,]?\d)"),
    )

    def numbers(text):
        return {each.replace(",", ".") for each in number.findall(text if isinstance(text, str) else json.dumps(text))}

    assert not {key for key, text in translated.items() if key in words and numbers(words[key]) - numbers(text)}


def test_cards_are_what_their_commands_write_from_the_files(monkeypatch):
    """Of the pair, its drafters and the recommenders; the foreign draft's figures are those of its file."""
    written = {}

    def fill(folder, template, **figures):
        written[folder] = (CARDS / f"{template}.md").read_text(encoding="utf-8").format(**figures)

    monkeypatch.setattr(card, "fill_card", fill)
    monkeypatch.setattr(recommenders, "fill_card", fill)
    models, shop = ASSETS / "models", ASSETS / "shop"
    made, measured = read(models / "made.json"), read(EVALUATION)
    card.write_cards(models, made, measured)
    for kind in BESIDE.values():
        card.write_card_beside(kind, models, made, measured)
    recommenders.write_cards(shop / "models", read(SHOP))
    assert len(written) == 12
    assert all((folder / "README.md").read_text(encoding="utf-8") == text for folder, text in written.items())
    foreign = models / "foreign"
    figures = read(foreign / "made.json")["measured"]
    rates = " | ".join(
        f"{figures['on_held_out_text'][name]:.3f}" for name in ("acceptance_1.0", "acceptance_0.7", "same_best")
    )
    text = (foreign / "README.md").read_text(encoding="utf-8")
    assert f"| {rates} |" in text and f"**{figures['bits_per_byte']:.3f} bits a byte**" in text
