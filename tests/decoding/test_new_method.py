"""A new file is all it takes: the menu, the controls, the commands, the README's table and the shared tests find it.

And a method that claims to be lossless and is not fails them: without that, their passing would say nothing.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from playground.cli import main
from playground.decoding import methods as package
from playground.decoding.method import methods
from playground.exactness.losslessness import DIFFERS, LOSSLESS, check
from playground.ui import build as page
from playground.ui.page.controls import declared, method_choices, method_note
from playground.ui.watch import shelf
from playground.ui.watch import tab as watch
from playground.ui.watch.form import WatchForm
from playground.ui.watch.method_menu import family_of
from tests import contract, tables
from tests.decoding import toys
from tests.languages import CODES, untranslated

ROOT = Path(__file__).parents[2]


@pytest.fixture
def toy_methods(tmp_path, monkeypatch):
    """The toys, in a folder beside the methods' own."""
    toys.write(tmp_path)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    methods.cache_clear()
    yield
    methods.cache_clear()
    for name in ("toy_chain", "toy_liar", "toy_greedy", "toy_heedless"):
        sys.modules.pop(f"{package.__name__}.{name}", None)


def printed(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_without_the_file_there_is_no_such_method():
    assert "toy_chain" not in methods()


@pytest.mark.usefixtures("toy_methods")
def test_the_page_offers_it_with_its_controls():
    assert ("Toy chain", "toy_chain") in method_choices()
    assert "chain of drafts" in method_note("toy_chain")
    [option] = declared("toy_chain")["options"]
    assert option["name"] == "toy_length" and option["label"] == "Toy length" and option["unit"] == "tokens"
    assert (option["min"], option["max"], option["value"]) == (1, 4, 2)
    parts = page.build().get_config_file()["components"]
    menu = next(part for part in parts if part["props"].get("elem_id") == "method")
    assert '"id": "toy_chain", "title": "Toy chain"' in menu["props"]["js_on_load"]
    assert family_of("toy_chain") == "tree"
    options = next(part for part in parts if part["props"].get("elem_id") == "watch-options")
    assert "Toy length" in options["props"]["js_on_load"]


@pytest.mark.usefixtures("toy_methods")
def test_the_commands_know_it(capsys):
    listed = {each["id"]: each for each in printed(capsys, "methods")}
    assert [option["name"] for option in listed["toy_chain"]["options"]] == ["toy_length"]
    flags = ["--method", "toy_chain", "--prompt", "Once upon a time", "--max-new-tokens", "8", "--set", "toy_length=3"]
    summary = printed(capsys, "run", *flags)
    assert summary["method"] == "toy_chain" and summary["num_tokens"] == 8 and summary["draft_calls"] > 0
    assert summary["options"] == {"toy_length": 3}
    assert main(["run", "--method", "toy_chian", "--prompt", "x"]) == 2
    assert "Did you mean 'toy_chain'" in capsys.readouterr().err


@pytest.mark.usefixtures("toy_methods")
def test_the_readmes_tables_have_it_and_miss_it_until_it_is_written():
    for readme, link in (
        (tables.README, "[Toy chain](playground/decoding/methods/toy_chain.py)"),
        (tables.ROOT / "playground" / "decoding" / "README.md", "| Toy chain | [`toy_chain`](methods/toy_chain.py) |"),
    ):
        text = readme.read_text(encoding="utf-8")
        assert link in tables.with_tables(readme, text) and link not in text


@pytest.mark.usefixtures("toy_methods")
@pytest.mark.filterwarnings("ignore:.*lacks new rows")
def test_all_that_is_written_of_methods_lacks_no_more_than_its_rows(monkeypatch):
    """And they are only new, so nothing that was measured or written by hand is lost by writing them."""
    monkeypatch.delenv("CI", raising=False)
    texts = {path: tables.with_tables(path, path.read_text(encoding="utf-8")) for path in tables.readmes()}
    for path, text in (texts | contract.files()).items():
        assert tables.is_fresh(path, text), path
    assert "toy_chain.toy_length" in contract.labels()


@pytest.mark.usefixtures("toy_methods")
@pytest.mark.parametrize("code", CODES)
def test_a_language_lists_that_it_has_no_words_for_it(code):
    """And the page shows its English: see tests/javascript/test_languages.py."""
    lacking = untranslated(code)
    assert lacking["method.toy_chain"] == methods()["toy_chain"].summary
    assert {"option.toy_chain.toy_length", "option.toy_chain.toy_length.help"} <= set(lacking)


@pytest.mark.usefixtures("toy_methods")
def test_without_a_recorded_run_the_stage_keeps_what_it_shows_and_says_so():
    session = SimpleNamespace(session_hash="new")
    player, message, *_ = shelf.show_recording_of(session, WatchForm(method="toy_chain"), {})
    assert "chunks" not in player and "No run of this method" in message["text"]
    query = {"method": "toy_chain", "toy_chain.toy_length": "3"}
    message, player, *_ = watch.follow(query)
    assert "chunks" not in player and "Press Run" in message["text"]


@pytest.mark.usefixtures("toy_methods")
def test_check_tells_the_honest_one_from_the_liar():
    """Seeded. The liar is off by a distance that 500 runs show; the honest one is accused once in 10,000 times."""
    *honest, liar = check([("toy_chain", {}), ("toy_greedy", {}), ("toy_heedless", {}), ("toy_liar", {})], samples=500)
    assert [each.verdict for each in honest] == [LOSSLESS] * 3
    assert liar.verdict == DIFFERS and liar.p_value < 1e-9


def state_of_the_tree():
    """What git would say of it, with the content of what was changed."""
    command = ["git", "status", "--porcelain"], ["git", "diff"]
    return [subprocess.run(each, cwd=ROOT, capture_output=True, check=True).stdout for each in command]


@pytest.mark.slow
def test_the_shared_tests_find_it_pass_it_and_fail_the_liar(tmp_path):
    """The suites themselves, as they stand, in a process of their own."""
    toys.write(tmp_path)
    suites = ["tests/decoding/test_every_method.py", "tests/javascript/test_languages.py"]
    command = [sys.executable, "-m", "pytest", "-c", ".pytest.ini", "-p", "tests.decoding.toys", "-rA", "--tb=no"]
    tree = state_of_the_tree()
    done = subprocess.run(
        [*command, "-k", "toy_ or languages", *suites],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "CI"} | {"TOY_METHODS": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert state_of_the_tree() == tree, "no test writes into the tree"
    results = re.findall(r"^(PASSED|FAILED|ERROR) \S+::(\w+)(?:\[(.*)\])?", done.stdout, re.MULTILINE)
    languages = [outcome for outcome, _, case in results if "toy_" not in case]
    assert languages and {*languages} == {"PASSED"}, "they take new methods as they come"
    for toy in ("toy_chain", "toy_greedy"):
        passed = {name for result, name, case in results if toy in case and result == "PASSED"}
        assert len(passed) >= 15, done.stdout[-2000:] + done.stderr[-2000:]
        assert [each for each in results if toy in each[2] and each[0] != "PASSED"] == []
    # a draft by hand, past the end, the budget and the context, fails three tests; the text is right all the same
    assert {name for result, name, case in results if "toy_heedless" in case and result != "PASSED"} == {
        "test_a_draft_with_a_shorter_context_drafts_up_to_its_end",
        "test_a_drafted_end_token_ends_the_text",
        "test_the_budget_is_met_and_no_round_drafts_more_than_it_has_room_for",
    }
    failed = {name for result, name, case in results if "toy_liar" in case and result == "FAILED"}
    assert {
        "test_greedy_equals_autoregressive",
        "test_disjoint_supports_accept_nothing",
        "test_no_coin_gets_a_token_that_the_target_cannot_write",
        "test_greedy_on_language_models_equals_a_plain_loop",
    } <= failed
    assert "test_facts_are_declared" not in failed  # A promise that it keeps is not held against it.
