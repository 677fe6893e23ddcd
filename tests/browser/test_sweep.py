"""A sweep in a real browser: sweeping, stopping, going on, saving, and from a point to its run."""

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from playground.bench.grid import Grid, points
from playground.ui.recorded import file_of
from playground.ui.runs.sweep.panel import sweep_value
from playground.ui.runs.sweep.recorded import read_sweep
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.views.modules import styles_of
from tests.browser.app_fixture import TRY_MS, close_drawer, download, open_tab, persist, press, save, unfold
from tests.browser.empty_page import empty_page
from tests.browser.race_harness import show

SWEPT_MS = 120_000  # a sweep, its models' loading included, on a machine that does other things too
SET_UP = "Set up the sweep"
QUICK = {
    "methods": "speculative_sampling,rsd_s", "speculative_sampling.draft_length": "1..3", "tokens": "16",
    "prompts": 1, "seeds": "0",
}  # fmt: skip # 4 runs of 4 settings
LONG = {"seeds": "0..19", "tokens": "48", "prompts": 2}  # 160 runs, to be left and stopped
SOME_DONE = re.compile(r"^[1-9]\d* of 160 runs are done")
PANEL = "(document.querySelector('.sweep-host')?.sweep ?? {})"  # empty until its script is there
WATCHED = "document.querySelector('.player-host')?.player?.trace"


@pytest.fixture
def set_up(visit):
    """`set_up(seeds=..., tokens=...)` gives a fresh browser's page with that grid set up, by its link."""

    def set_up(*, theme: str = "light", context=None, **grid):
        page = visit(f"?{urlencode({'tab': 'sweep', '__theme': theme} | QUICK | grid)}", **(context or {}))
        expect(notice(page)).to_contain_text("Filled in from the link", timeout=SWEPT_MS)
        return page

    return set_up


def notice(page):
    return page.locator("#sweep-notice .notice")


def file_notice(page):
    return page.locator("#sweep-file-notice .notice")


def wait_for(page, said: str) -> dict:
    """Until the sweep has ended; gives the value that the panel shows."""
    expect(notice(page)).to_contain_text(said, timeout=SWEPT_MS)
    expect(page.locator("#sweep")).to_be_enabled(timeout=SWEPT_MS)
    return page.evaluate(f"{PANEL}.value")


def saved_rows(page) -> list[dict]:
    path = save(page, "Save the sweep (JSONL)", below="Files and link")
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def press_point(page, chart: str, label: str) -> None:
    """Press a point of a chart where it is drawn, until its run is in Watch."""

    def act() -> None:
        x, y = place_of(page, chart, label)
        page.mouse.move(x, y)
        page.wait_for_function(  # Plotly takes the point under the pointer that it has seen
            """([chart, label]) => document.querySelector(`[data-chart="${chart}"] .js-plotly-plot`)
                 ._hoverdata?.some((point) => point.customdata?.[0] === label)""",
            arg=[chart, label],
            timeout=TRY_MS,
        )
        page.mouse.click(x, y)

    remember_watched(page)
    watch = page.get_by_role("tab", name="Watch", exact=True)
    persist(act, lambda: expect(watch).to_have_attribute("aria-selected", "true", timeout=TRY_MS))


def tap_point(page, chart: str, label: str) -> None:
    """The same with a finger, until there is its card."""
    persist(
        lambda: page.touchscreen.tap(*place_of(page, chart, label)),
        lambda: expect(page.locator(".sw-card")).to_be_visible(timeout=TRY_MS),
    )


def place_of(page, chart: str, label: str) -> tuple[float, float]:
    """Where the point is now: a chart above that is drawn later moves it."""
    page.locator(f'[data-chart="{chart}"]').scroll_into_view_if_needed(timeout=TRY_MS)
    return page.evaluate(
        """([chart, label]) => {
          const plot = document.querySelector(`[data-chart="${chart}"] .js-plotly-plot`);
          for (const trace of plot.data) for (let i = 0; i < (trace.customdata || []).length; i++)
            if (trace.customdata[i][0] === label) {
              const box = plot.querySelector('.nsewdrag').getBoundingClientRect();
              const {xaxis, yaxis} = plot._fullLayout;
              return [box.left + xaxis.d2p(trace.x[i]), box.top + yaxis.d2p(trace.y[i])];
            }
        }""",
        [chart, label],
    )


def remember_watched(page) -> None:
    page.evaluate(f"void (window.watchedBefore = {WATCHED})")


def watched_tokens(page) -> list[int]:
    """The tokens of the run in Watch, once another than before is there."""
    expect(page.get_by_role("tab", name="Watch")).to_have_attribute("aria-selected", "true", timeout=SWEPT_MS)
    page.wait_for_function(f"{WATCHED} !== window.watchedBefore && {WATCHED}?.finished")
    return page.evaluate(f"{WATCHED}.rounds.flatMap((round) => round.commit.tokens)")


def _its_fronts_and_table_are_there_and_a_point_or_a_row_opens_its_run(page, value) -> None:
    """A point is pressed with the mouse, a row with a key."""
    assert [chart["id"] for chart in value["charts"]] == ["setting_speed", "budget", "length"]
    expect(page.locator(".spec-sweep .js-plotly-plot")).to_have_count(3)
    expect(page.locator(".sw-table tbody tr")).to_have_count(4)
    expect(page.locator(".sw-notes")).to_contain_text("Measured joules are blank")
    rows = {row["run"]: row for row in saved_rows(page)}
    label = "speculative_sampling draft_length=2"
    press_point(page, "budget", label)
    median = next(setting["run"] for setting in value["settings"] if setting["label"] == label)
    assert watched_tokens(page) == rows[median]["token_ids"] and rows[median]["label"] == label
    open_tab(page, "Sweep")
    expect(notice(page)).to_contain_text("is in Watch. It is the recorded run itself.")
    svg = download(page, "Save Tokens/s by setting, measured as SVG")
    assert svg.name == "sweep-setting_speed.svg"
    assert "tokens/s, measured" in svg.read_text() and "RSD-S" in svg.read_text()
    png = download(page, "Save Block efficiency against the target's budget as PNG")
    assert png.read_bytes().startswith(b"\x89PNG") and png.stat().st_size > 5000
    csv = download(page, "Save the rows (CSV)")
    assert len(csv.read_text().splitlines()) >= 5 and csv.name == "sweep.csv"
    _the_table_is_driven_by_keys(page)
    row = next(row for row in rows.values() if (row["label"], row["seed"]) == ("rsd_s", 1))
    remember_watched(page)
    page.get_by_role("button", name=re.compile(r"^Watch run \d+ of RSD-S: prompt 1, seed 1$")).focus()
    page.keyboard.press("Enter")
    assert watched_tokens(page) == row["token_ids"]


def _the_table_is_driven_by_keys(page) -> None:
    page.get_by_role("button", name="Sort by tokens/s, measured").focus()
    page.keyboard.press("Enter")
    speeds = [float(cell) for cell in page.locator('.sw-table [data-column="tokens_per_s"]').all_inner_texts()]
    assert speeds == sorted(speeds, reverse=True) and len(speeds) == 4
    fold = page.locator('[data-label="rsd_s"] .sw-fold')
    fold.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".sw-run")).to_have_count(2)
    assert page.evaluate("document.activeElement.dataset.key") == "fold rsd_s", "the focus stays where it was"


def test_a_finger_gets_a_card_and_nothing_is_wider_than_a_phone(visit):
    """On the sweep that the tab opens on."""
    page = visit("?tab=sweep&__theme=dark", width=390, height=844, has_touch=True, is_mobile=True)
    page.wait_for_function(f"{PANEL}.value?.recorded")
    unfold(page, SET_UP)
    unfold(page, "Sampling, seeds and drafters")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    close_drawer(page)
    label = "speculative_sampling draft_length=8"
    tap_point(page, "budget", label)
    expect(page.locator(".sw-card")).to_contain_text("Speculative sampling")
    remember_watched(page)
    page.get_by_role("button", name="Watch this run", exact=True).tap()
    rows = read_sweep(file_of("sweep")).rows
    assert watched_tokens(page) in [row["token_ids"] for row in rows if row["label"] == label]


@pytest.mark.usefixtures("undisturbed")
def test_left_resumed_stopped_saved_and_opened_elsewhere_nothing_is_lost_or_double(set_up, address):
    page, other = set_up(**LONG), set_up(seeds="0, 1")
    expect(other.locator("#sweep-plan .notice")).to_contain_text("4 settings × 1 prompt × 2 seeds, 8 runs.")
    expect(other.locator("#sweep-plan .notice")).to_contain_text(re.compile(r"About \d+ s"))
    press(page, "#sweep")
    expect(notice(page)).to_contain_text(SOME_DONE, timeout=SWEPT_MS)
    page.goto(address)  # leaves the page in the middle of a run
    other.locator("#sweep").focus()
    other.keyboard.press("Enter")
    value = wait_for(other, "Done: 8 new of")
    assert value["done"] == 8, "the device is free"
    _its_fronts_and_table_are_there_and_a_point_or_a_row_opens_its_run(other, value)
    open_tab(other, "Sweep")
    open_tab(page, "Sweep")
    saved = re.compile(r"Your last sweep is saved\. [1-9]\d* of 160 runs are here\. Press Resume")
    expect(notice(page)).to_contain_text(saved)
    expect(page.locator("#sweep-plan .notice")).to_contain_text("160 runs")
    expect(page.locator("#sweep-resume")).to_be_enabled()
    page.wait_for_function(f"{PANEL}.value")  # its script comes with the tab
    done = page.evaluate(f"{PANEL}.value.done")
    press(page, "#sweep-resume")
    page.wait_for_function(f"{PANEL}.value.done > {done}", timeout=SWEPT_MS)
    press(page, "#sweep-stop")
    value = wait_for(page, "Stopped after")
    assert done < value["done"] < value["total"] == 160
    lines = save(page, "Save the sweep (JSONL)", below="Files and link").read_text().splitlines()
    assert len(lines) == value["done"] + 1

    # a shorter one, elsewhere: cut so that it ends soon
    manifest = json.loads(lines[0])
    manifest["plan"]["seeds"] = [0]
    kept = [line for line in map(json.loads, lines[1:]) if line["seed"] == 0][:2]
    short = "\n".join(json.dumps(line) for line in [manifest, *kept]).encode()
    unfold(other, "Files and link")
    upload = other.locator("#sweep-files input[type=file]")
    upload.set_input_files({"name": "mine.jsonl", "mimeType": "application/json", "buffer": short})
    expect(notice(other)).to_contain_text("2 of 8 runs are here. Press Resume")
    expect(other.locator("#sweep-plan .notice")).to_contain_text("4 settings × 2 prompts × 1 seed, 8 runs.")
    press(other, "#sweep-resume")
    wait_for(other, "Done: 6 new of")
    rows = saved_rows(other)
    assert sorted(row["run"] for row in rows) == list(range(1, 9))
    assert rows[:2] == [row | {"trace": None, "trace_bytes": 0} for row in kept]


def test_a_setting_that_failed_throughout_stands_in_the_table_with_its_sentence(page):
    """The first of two, the last, and both."""
    grid = Grid((("rsd_s", {}),), {"width": (1, 2)}, ("One day",))
    numbers = {"tokens_per_s": 90.0, "perplexity": 2.0, "block_efficiency": 2.5, "verified_nodes": 3.0}
    empty_page(page, "runs/sweep/sweep.js", "sweep", styles_of("shared", "player", "runs"), dark=False)
    page.evaluate("window.r = sweep.mount(document.getElementById('host'), {watchRun() {}})")
    for failing in (1, 2, None):
        rows = [
            point.as_dict() | ({"failed": "It broke."} if failing in (point.run, None) else numbers)
            for point in points(grid)
        ]
        show(page, sweep_value(SavedSweep(Path(f"sweep-{failing}"), {}, grid, rows)))
        for row in rows:
            line = page.locator(f'.sw-table tr[data-label="{row["label"]}"]')
            expect(line).to_contain_text("failed: It broke." if "failed" in row else "90")


def test_what_cannot_be_swept_is_said_at_once_and_a_ready_made_grid_or_its_link_fills_the_controls(set_up, open_page):
    page = set_up()
    unfold(page, SET_UP)
    field = page.locator("#sweep-options").get_by_label("Beam width").first
    for text, told in (("<img src=x onerror=alert(1)>", "which is not a number"), ("99", "has 99. Choose 1 to 16.")):
        field.fill(text)
        field.press("Tab")
        expect(page.locator("#sweep-plan .notice")).to_contain_text(told)
    press(page, "#sweep")
    expect(notice(page)).to_contain_text("RSD-S: beam width has 99. Choose 1 to 16.")
    expect(page.locator("#sweep-stop")).to_be_disabled()
    assert page.evaluate(f"{PANEL}.value?.sweep ?? 'recorded'") == "recorded"
    page.get_by_role("button", name="Trees over the target's budget").click()
    expect(page.locator("#sweep-plan .notice")).to_contain_text("12 settings × 2 prompts × 2 seeds, 48 runs.")
    expect(notice(page)).to_contain_text("Which tree makes the most of")
    shown = page.locator("#sweep-options")
    expect(shown.get_by_label("Draws at the root")).to_have_value("1..4")
    expect(shown.get_by_label("Draft temperature factor (x)").first).to_be_visible()
    close_drawer(page)
    unfold(page, "Files and link")
    page.locator("#sweep-make-link").click()
    link = page.locator("#sweep-link textarea, #sweep-link input").first
    expect(link).to_have_value(re.compile("^http.*tab=sweep"))  # whole: the page puts its own address before it
    other = open_page()
    other.goto(link.input_value())
    expect(notice(other)).to_contain_text("Filled in from the link. Press Sweep.")
    expect(other.locator("#sweep-plan .notice")).to_contain_text("12 settings × 2 prompts × 2 seeds, 48 runs.")
