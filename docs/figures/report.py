"""The picture of a report: ``python docs/figures/report.py isogloss-demo/report.html``."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1000, "height": 820})
    page.goto(Path(sys.argv[1]).resolve().as_uri())
    page.get_by_role("link", name="Domains", exact=True).click()
    page.wait_for_timeout(300)
    page.screenshot(path=Path(__file__).with_name("report.png"))
