"""Every test of a page fails by three things: an error, a dialog, and a request that leaves the host."""

from tests.browser.conftest import listen

HEARD = {
    "setTimeout(() => { throw Error('broken'); })": "page error: broken",
    "setTimeout(() => confirm('Sure?'))": "dialog: Sure?",
    "void fetch('https://example.com/x').catch(() => 0)": "request to https://example.com/x",
    "void fetch('http://192.0.2.1/y').catch(() => 0)": "request to http://192.0.2.1/y",
    "void (new Image().src = 'http://example.com/z.png')": "request to http://example.com/z.png",
}


def test_each_is_heard(browser):
    """On an empty page: the policy of the app's own pages stops a request to another host before it is one."""
    page, faults = browser.new_page(), []
    listen(page, faults)
    for done, fault in HEARD.items():
        page.evaluate(done)
        for _ in range(600):
            if faults:
                break
            page.wait_for_timeout(100)
        assert len(faults) == 1 and faults.pop().startswith(fault), done
    page.close()
