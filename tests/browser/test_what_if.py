"""A branch in a real browser: asked for below a token, and flipped against the run that it came from."""

from playwright.sync_api import expect

from tests.browser.app_fixture import notice, of_player, wait_for_player, wait_until
from tests.browser.holds import assert_one_sentence
from tests.browser.player_harness import chain_trace, mount_player

BY_A_COIN = """p.trace.steps.find((step) => step.round?.number > 1 && step.verdict?.coin != null
    && step.verdict.outcome === "accepted" && step.verdict.accept < 1
    && step.verdict.node.parent.round === step.round.number)"""  # so that the other outcome emits a draft, too


def test_a_verdict_is_forced_on_the_page_and_flipped_at_the_same_step(visit_watch):
    page = visit_watch(height=720, reduced_motion="reduce")
    step = of_player(page, f"{BY_A_COIN}.index")
    of_player(page, f"p.goto({step})")
    page.locator(".sp-draw-u").press("End")  # beyond the edge: the other run is made, and the stage stays
    expect(page.locator(".sp-future-said")).to_contain_text("would be rejected")
    wait_until(page, "!p.draw.future.foot.hidden")
    assert "target calls" in page.locator(".sp-future-counts").inner_text()
    assert of_player(page, "[p.trace.run.branch, p.state().step]") == [None, step]
    assert page.locator(".sp-otherwise").count() > 0
    page.keyboard.press("Escape")
    expect(page.locator(".sp-future")).to_be_hidden()
    token = of_player(page, "(p.keep(p.step.verdict.node), p.pinned.id)")
    of_player(page, "p.openPanel(true)")
    page.locator(".sp-if summary").click()
    page.locator(".sp-if-verdict").click()
    of_player(page, "p.openPanel(false)")
    wait_until(page, "p.trace.run.branch && p.trace.finished")
    turned = of_player(page, "[p.state().step, p.step.verdict.node.id, p.step.verdict.outcome]")
    assert turned == [step, token, "rejected"]
    expect(page.locator(".sp-branch-said")).to_contain_text("had been rejected in round")
    page.keyboard.press("x")
    wait_until(page, "!p.trace.run.branch")
    assert of_player(page, "[p.state().step, p.step.verdict.outcome]") == [step, "accepted"]
    expect(page.locator(".sp-branch-said")).to_have_text("The run as it was")
    page.locator(".sp-branch-turn").click()
    wait_until(page, "p.trace.run.branch")
    assert of_player(page, "p.state().step") == step

    page.keyboard.press("ArrowRight")
    wait_until(page, f"/#run=opening&if=\\d+[.]{token}[.]rejected&step={step + 1}&made=/.test(location.href)")
    link = page.url
    page.evaluate("location.hash = 'run=opening&if=2.9999.rejected&step=4'")
    expect(notice(page)).to_contain_text("drafted no token 9999")
    wait_until(page, "!p.trace.run.branch && p.state().round === 2")
    page.goto("about:blank")
    page.goto(link)  # the branch is made once more, and is the same
    wait_for_player(page)
    wait_until(page, f"p.trace.run.branch && p.state().step === {step + 1}")
    expect(notice(page)).to_contain_text("Branched in round")
    page.evaluate("location.hash = location.hash.replace(/made=.*/, 'made=00000000')")
    expect(notice(page)).to_contain_text("its run had other tokens")
    assert_one_sentence(notice(page).inner_text())
    page.keyboard.press("x")
    wait_until(page, f"!p.trace.run.branch && p.state().step === {step + 1}")


def test_a_page_that_makes_no_runs_says_so(page):
    mount_player(page, chain_trace())
    page.evaluate("p.goto(p.trace.steps.find((step) => step.kind === 'verified').index)")
    page.locator(".sp-if summary").click()
    expect(page.locator(".sp-if")).to_contain_text("needs the page that makes runs")
    page.evaluate("p.goto(p.trace.steps.find((step) => step.verdict?.outcome === 'rejected').index)")
    page.locator(".sp-draw-u").press("Home")  # by the keyboard, as what is dragged still moves
    expect(page.locator(".sp-future-said")).to_have_text(
        "With u below 0.250, “sat” would be accepted, and a token drawn from p after it."
    )
    expect(page.locator(".sp-draw-verdict")).to_have_text("would be accepted")
    assert page.evaluate("p.tree.camera.held") is False, "the stage below stays where it is"
