"""The picture of the viewer: ``python docs/figures/viewer.py view.html``, as in howto/view.md."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

STATE = "#source=%5Cbcharge&sort=confidence&threshold=500"

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1200, "height": 860})
    page.goto(Path(sys.argv[1]).resolve().as_uri() + STATE)
    page.wait_for_selector("#viewer[data-ready=true]")
    page.locator("#pairs .row").nth(2).click()
    page.locator("g.word[data-side=source]", has_text="charge").first.click()
    page.wait_for_selector(".partners table")
    page.wait_for_timeout(300)
    page.screenshot(path=Path(__file__).with_name("viewer.png"))
