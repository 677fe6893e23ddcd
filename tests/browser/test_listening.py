"""What fails every test of a page: an error, a dialog, and a request that leaves the host."""

import pytest

from tests.browser.conftest import listen


@pytest.mark.parametrize(
    ("done", "told"),
    [
        ("setTimeout(() => { throw Error('broken'); })", "page error: broken"),
        ("setTimeout(() => confirm('Sure?'))", "dialog: Sure?"),
        ("void fetch('https://example.com/x').catch(() => 0)", "request to https://example.com/x"),
        ("void fetch('http://192.0.2.1/y').catch(() => 0)", "request to http://192.0.2.1/y"),
        ("void (new Image().src = 'http://example.com/z.png')", "request to http://example.com/z.png"),
    ],
)
def test_it_is_heard(browser, address, done, told):
    page, faults = browser.new_page(), []
    listen(page, faults)
    page.goto(f"{address}/theme.css")
    page.evaluate(done)
    for _ in range(600):
        if faults:
            break
        page.wait_for_timeout(100)
    page.close()
    assert faults[0].startswith(told), faults
