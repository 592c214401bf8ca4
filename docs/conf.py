"""How the site is built: ``sphinx-build -W docs docs/_build/html``."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from isogloss import __version__

sys.path[:0] = [str(Path(__file__).parent / name) for name in ("extensions", "figures")]

# tutorials call the program of this environment
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
# and what it prints is plain text, in one piece
profile = Path(tempfile.mkdtemp(prefix="isogloss-docs-"), "profile_default", "startup")
profile.mkdir(parents=True)
shutil.copy(Path(__file__).parent / "extensions" / "shell_cells.py", profile)
os.environ["IPYTHONDIR"] = str(profile.parents[1])

project = "isogloss"
copyright = "the isogloss contributors"
release = version = __version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxarg.ext",
    "command_pages",
    "results",  # draws the figures whose tables have changed
]
# of what the gallery writes, the pages
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = [
    "auto_gallery/*.ipynb", "auto_gallery/sg_execution_times.rst",
    "sg_execution_times.rst", "_build", "jupyter_execute", "extensions", "gallery",
]  # fmt: skip
templates_path = ["_templates"]
nitpicky = False

# pages: Markdown that also reads well on a forge
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure", "myst.domains", "myst.header"]

# tutorials are run when the site is built
nb_execution_mode = "cache"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_execution_in_temp = True

# options such as --model keep their dashes, and names their quotes
smartquotes = False

# the API from its docstrings
default_role = "code"
highlight_language = "none"  # for blocks that say nothing else
autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "none"  # the sections Parameters and Returns say the types
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# plots with the code that draws them, on the bundled data
sample = Path(__file__).parent / "gallery" / "data"
sample.mkdir(exist_ok=True)
for file in Path(__file__).parents[1].joinpath("data").glob("t*.*"):
    if not (sample / file.name).exists():
        (sample / file.name).symlink_to(file)
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": "/plot_",
    "download_all_examples": False,
    "show_signature": False,
    "plot_gallery": True,
    "notebook_extensions": (),
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = f"isogloss {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"quickstart": []}  # a page alone
html_copy_source = False
html_theme_options = {
    "logo": {"text": "isogloss"},
    "navbar_align": "left",
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_exclude = ".linenos, .gp, .go"

# what follows a sentence on the site need not be on the network
linkcheck_ignore = [r"https?://"]
