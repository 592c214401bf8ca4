"""A page is one file: nothing is loaded, nothing that it shows is run, the same bytes each time."""

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

import isogloss.pages
from isogloss.pages.page import Page, packed

STATIC = Path(isogloss.pages.__file__).parent / "static"


def policy_of(html: str) -> dict[str, list[str]]:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    parts = (part.split() for part in policy[1].replace("&#39;", "'").split(";"))
    return {name: values for name, *values in parts}


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.fixture
def html() -> str:
    hostile = "</script><script>alert(1)</script><!-- &amp; \u2028"
    page = Page(
        template="viewer",
        title=hostile,
        subtitle="<b>",
        styles=("viewer.css",),
        scripts=("data.js",),
        data={"meta": {"text": hostile}},
        chunks=[packed([hostile])],
        texts={"partners": packed({})},
    )
    return page.html()


def test_only_our_scripts_and_styles_are_allowed(html: str) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", html, re.S)
    styles = re.findall(r"<style>(.*?)</style>", html, re.S)
    assert len(scripts) == len(styles) == 2
    assert policy_of(html) == {
        "default-src": ["'none'"],
        "script-src": [digest(text) for text in scripts],
        "style-src": [digest(text) for text in styles],
        "img-src": ["data:", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }


def test_text_is_text(html: str) -> None:
    assert "alert(1)</script>" not in html
    assert "<title>&lt;/script&gt;&lt;script&gt;alert(1)" in html
    assert '<p class="subtitle">&lt;b&gt;</p>' in html
    data = re.search(r'id="meta">(.*?)</script>', html, re.S)
    assert data is not None
    assert json.loads(data[1])["text"].startswith("</script><script>alert(1)</script>")


def test_nothing_is_loaded() -> None:
    """No file of ours names an address, nor holds the end of the element that it is put into."""
    for path in STATIC.rglob("*.*"):
        text = path.read_text("utf-8")
        if path.suffix == ".txt":
            continue
        assert not re.search(r"</(script|style)", text, re.I), path.name
        addresses = set(re.findall(r"https?://[^\s\"'`)]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}, (
            path.name
        )
        assert "@import" not in text


def test_packed_is_the_same_at_any_time() -> None:
    value = {"source": ["¿ qué ?"], "n": [1, 2]}
    assert packed(value) == packed(value)
    data = gzip.decompress(base64.b64decode(packed(value)))
    assert json.loads(data) == value
    assert base64.b64decode(packed(value))[4:8] == b"\0\0\0\0"  # no time in the header
