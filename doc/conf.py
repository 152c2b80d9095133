# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Sphinx configuration; Doxygen makes the API reference in api/ beside the guide."""

import pathlib
import subprocess

DOC = pathlib.Path(__file__).parent

project = 'Stint'
author = 'The Stint authors'
copyright = '2026 The Stint authors'
html_theme = 'alabaster'
html_theme_options = {'description': 'fast and perf autotests for DPDK', 'page_width': '1100px'}
html_sidebars = {'**': ['about.html', 'navigation.html', 'searchbox.html']}
html_copy_source = False
html_show_sphinx = False
highlight_language = 'none'
exclude_patterns = ['examples']


def make_api(app, exception):
    """Warnings of Doxygen are errors, as those of Sphinx."""
    if exception is not None or app.builder.format != 'html':
        return
    settings = (DOC / 'Doxyfile').read_text(encoding='utf-8')
    settings += f'\nPROJECT_NUMBER = {app.config.release}\nOUTPUT_DIRECTORY = "{app.outdir}"\n'
    subprocess.run(['doxygen', '-'], input=settings, text=True, check=True, cwd=DOC)


def setup(app):
    app.connect('build-finished', make_api)
