"""The page in another language: what Gradio draws, what is drawn here, what the server says, what has no words yet."""

from playwright.sync_api import expect

from tests.browser.app_fixture import open_menu, wait_for_player

TABS = ["Ansehen", "Vergleichen", "Labor", "Empfehlen", "Lernen"]


def test_labels_options_methods_and_messages_are_in_the_readers_language(visit):
    """Once it is chosen in the menu, and until another is; refusals too."""
    page = visit("?method=rsd_s:width")
    wait_for_player(page)
    expect(page.locator("#race")).to_have_count(0)  # a tab that was never opened is not in the page
    page.locator("#language").select_option("de")
    page.wait_for_function("document.documentElement.lang === 'de'")
    wait_for_player(page)
    assert page.evaluate("document.documentElement.lang") == "de"
    said = page.locator("#notice .notice")
    expect(said).to_contain_text("width hat keinen Wert")
    expect(said.locator("[lang=en]")).to_have_count(0)
    expect(page.locator("#tabs > .tab-wrapper [role=tab]:visible")).to_have_text(TABS)
    expect(page.locator(".sp-origin")).to_have_text("Aufgezeichneter Lauf")
    open_menu(page)
    page.locator("[popovertarget=settings]").first.click()
    expect(page.locator("#watch-options .option-label").first).to_contain_text("Entwurfslänge")
    expect(page.locator("#settings")).to_contain_text("Derselbe Startwert")
    assert page.locator("#watch-options [lang=en]").count() == 0
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Verfahren").click()
    page.locator(".method-item[data-method=rsd_s]").hover()
    expect(page.locator(".method-about")).to_contain_text("Ein Entwurfsbaum")
    page.locator(".method-item[data-method=rsd_s]").click()
    page.get_by_role("tab", name="Vergleichen").click()
    expect(page.locator("#race-ask .drawer-button")).to_have_text("Rennen einrichten")
    page.get_by_role("tab", name="Messreihe").click()  # all of it is English, and marked so
    expect(page.locator("#tab-compare-sweep")).to_have_attribute("lang", "en")
    expect(page.locator("#sweep-ask")).to_contain_text("Set up the sweep")
    expect(page.locator("#sweep-plan .notice")).to_contain_text("prompts ×")
    page.evaluate("localStorage.removeItem('language')")
