"""The losslessness bench in a real browser, with the app behind it."""

import pytest
from playwright.sync_api import expect

BENCH = "document.querySelector('.spec-bench')"
OPENING = "?tab=lab&section=losslessness"


@pytest.fixture
def bench(visit):
    """`bench(query)` gives a page with the bench on it."""

    def bench(query: str = "", **context):
        page = visit(OPENING + query, **context)
        page.wait_for_selector(".spec-bench .lab-start")
        return page

    return bench


def button(page, name):
    return page.locator(".spec-bench").get_by_role("button", name=name, exact=True)


def test_a_mistake_is_caught_beside_the_real_rule_while_one_watches(bench):
    """The seed is fixed; the real rule would be called caught once in 10,000 seeds."""
    page = bench("&a=speculative_sampling&b=broken.correction_from_target&samples=1000")
    expect(page.get_by_label("Compared with")).to_have_value("broken.correction_from_target")
    button(page, "Start").click()
    expect(page.locator(".spec-bench [role=status]").first).to_have_text("All samples are drawn.")
    real, broken = page.locator(".lab-finding").all()
    expect(broken.locator(".lab-verdict")).to_contain_text("Caught after")
    expect(real.locator(".lab-verdict")).to_contain_text(
        "After 1,000 samples its distance from the target's distribution is"
    )
    assert page.locator(".lab-finding[data-caught=true]").count() == 1
    assert page.locator(".spec-bench .lab-band").count() == 2  # in the plot, and in the legend
    expect(page.locator(".spec-bench .lab-rule-text")).to_have_text("caught")


def test_it_stops_at_any_time_and_another_seed_takes_the_place_of_what_is_under_way(bench):
    page = bench("&a=autoregressive&b=&samples=1000000")
    status = page.locator(".spec-bench [role=status]").first
    assert page.locator(".spec-bench .spec-lossless").first.get_attribute("title").startswith("Lossless: reproduces")
    button(page, "Start").click()
    page.wait_for_function(
        f"{BENCH}.querySelectorAll('.lab-line-first').length && {BENCH}.innerText.includes('p-value')"
    )
    button(page, "Stop").click()
    expect(status).to_have_text("Stopped.")
    for seed in (1, 2, 3, 4, 5, 6, 7):  # begins anew, then more than may run at once
        button(page, "Another seed").click()
        expect(page.locator(".spec-bench").get_by_label("Seed", exact=True)).to_have_value(str(seed))
    expect(status).to_have_text("Sampling. Stop at any time.")
    expect(page.locator(".spec-bench .sp-error").first).to_be_hidden()
    button(page, "Stop").click()
    expect(status).to_have_text("Stopped.")
    expect(button(page, "Start")).to_be_enabled()


def test_a_refusal_is_a_sentence_and_the_bench_can_start_again(bench):
    page = bench("&a=dsbd&b=&on=pair")
    button(page, "Start").click()
    expect(page.locator(".spec-bench .sp-error")).to_contain_text("Choose the tables of probabilities.")
    expect(button(page, "Start")).to_be_enabled()


def test_on_a_phone_nothing_is_wider_than_the_page(bench):
    page = bench("&a=rsd_s:width=2&b=broken.undivided&on=pair", width=390, height=800)
    page.locator(".spec-bench summary").first.click()
    expect(page.locator(".spec-bench").get_by_label("Beam width")).to_have_value("2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
