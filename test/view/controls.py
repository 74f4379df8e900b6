#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""controls.py PAGE-OR-ADDRESS: uses a timeline by mouse and keys, as people do, and says what became of that."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import browser

results = []


def check(what, holds, said):
    results.append(bool(holds))
    print(f"{'ok' if holds else 'wrong'} {what}" + ("" if holds else f": {said}"))


class Page:
    """What is asked of it by a name is asked of its script."""

    def __init__(self, chromium):
        self.chromium = chromium
        self.length = self("view.length")
        self.first = self("rows.findIndex(r => r.track !== undefined && view.tracks[r.track].kind === 'thread')")
        self.left, self.top = self("[stage.getBoundingClientRect().left, stage.getBoundingClientRect().top]")

    def __call__(self, text):
        return self.chromium.evaluate(text)

    def at(self, time, row):
        x, y = self(f"[x({time}), above({row}) + state.height / 2]")
        return self.left + x, self.top + y

    def shown(self):
        return self("[state.from, state.to]")

    def near(self, a, b, part=0.001):
        return abs(a - b) <= part * self.length

    def whole(self):
        a, b = self.shown()
        return self.near(a, 0) and self.near(b, self.length, 0.03)

    def settle(self):
        """Until the last picture is the one that is wanted, and all tiles are in it."""
        self.chromium.wait("new Promise(done => setTimeout(done, 30)).then(() => !waiting && drawn && picture && !picture.missing)")

    def pixel(self, time, row):
        return self(f"""(() => {{
            const copy = new OffscreenCanvas(canvas.width, canvas.height), pen = copy.getContext("2d");
            pen.drawImage(canvas, 0, 0);
            const part = ({time} - picture.from) / (picture.to - picture.from);
            const y = above({row}) - AXIS + box.scrollTop - picture.top + state.height / 2;
            return [...pen.getImageData(part * canvas.width, y * devicePixelRatio, 1, 1).data].slice(0, 3).join();
        }})()""")


def zoom_and_move(page):
    key = page.chromium.key
    check("the whole run at first", page.whole(), page.shown())
    key("+")
    a, b = page.shown()
    check("+ zooms in", b - a < 0.8 * page.length, b - a)
    key("ArrowRight")
    moved = page.shown()[0]
    key("ArrowLeft")
    check("arrows move", moved > page.shown()[0], moved)
    key("Home")
    check("Home: the whole run", page.whole(), page.shown())
    key("Backspace")
    a, b = page.shown()
    check("Backspace: the view before", b - a < 0.8 * page.length, b - a)
    key("0")
    page.chromium.wheel(*page.at(page.length / 4, page.first), -400)
    page.chromium.wait("state.to - state.from < 0.9 * view.length")
    a, b = page.shown()
    check("the wheel zooms around the pointer", a < page.length / 4 < b and
          page.near((page.length / 4 - a) / (b - a) * page.length, page.length / 4, 0.02), [a, b])
    key("0")
    page.chromium.click_on("[aria-label=zoom]")
    a, b = page.shown()
    check("the slider zooms", b - a < page.length / 2, b - a)
    page("labels.focus()")
    key("0")


def select_and_drag(page):
    key, drag = page.chromium.key, page.chromium.drag
    drag(*page.at(page.length / 2, page.first), *page.at(page.length * 0.75, page.first), modifiers=browser.SHIFT)
    a, b = page("state.selected") or [0, 0]
    check("shift and drag: selects", page.near(a, page.length / 2, 0.01) and page.near(b, page.length * 0.75, 0.01), [a, b])
    text = page.chromium.wait("/^Selected: /.test(sumsBox.textContent) && sumsBox.textContent")
    check("the selection's sums", re.match(r"Selected: .* of \d+ thread", text), text)
    key("Enter")
    check("Enter: into the selection", page.near(page.shown()[0], page.length / 2, 0.01), page.shown())
    key("Escape")
    check("Escape: nothing is selected", not page("state.selected"), page("state.selected"))
    a, b = page.shown()
    drag(*page.at((a + b) / 2, page.first), *page.at((a + b) / 2 + (b - a) / 10, page.first))
    check("drag: moves", page.shown()[0] < a, [a, page.shown()])
    key("0")
    page.chromium.click_on("#mini")
    key("+")
    page.chromium.drag(*page("(() => { const r = mini.getBoundingClientRect(); return [r.left + r.width / 2, r.top + 9,"
                             " r.left + 0.8 * r.width, r.top + 9]; })()"))
    a, b = page.shown()
    check("the small picture of all: moves", page.near((a + b) / 2, 0.8 * page.length, 0.2), [a, b])
    key("0")


def search(page):
    key = page.chromium.key
    wanted = page("nameOf(view.regions.findIndex(r => r && /^MPI_/.test(r[0])))")
    key("/")
    page.chromium.type(wanted)
    check("/: search", page("state.search") == wanted.lower(), page("state.search"))
    page("labels.focus()")
    key("n")
    name = page.chromium.wait("state.found && nameOf(idOf(state.found.what))")
    check("n: the next one", name == wanted, name)
    first = page("state.found.begin")
    key("n")
    page.chromium.wait(f"!state.found || state.found.begin !== {first}")
    later = page("state.found && state.found.begin")
    check("n again: a later one", later is None or later > first, [first, later])
    key("p")
    page.chromium.wait(f"state.found && state.found.begin !== {later or -1}")
    check("p: back again", page("state.found.begin") == first or later is None, [first, page("state.found.begin")])
    key("c")
    note = page.chromium.wait("state.note")
    check("c: a cause, or that none is known", note, note)
    page("search.value = ''; search.dispatchEvent(new Event('input'))")
    page.chromium.wait("/from=-?\\d+&to=\\d+/.test(location.hash)")
    check("the view is in the address", True, "")


def look(page):
    key = page.chromium.key
    key("m")
    check("m: no messages", page("!state.messages && !arrows.checked"), page("state.messages"))
    a, b = page.shown()
    page.chromium.point(*page.at((a + b) / 2, page.first))
    text = page.chromium.wait("/, at [0-9.]+/.test(info.textContent) && info.textContent")
    check("what is under the pointer is said", text, text)
    page.chromium.point(5, 5)
    key("0")
    page.settle()
    colours = {page.pixel(part * page.length, page.first) for part in (0.2, 0.4, 0.6, 0.8)}
    check("rows are drawn", colours - {"255,255,255", "0,0,0"}, colours)
    page.chromium.colours(True)
    page.chromium.wait("ink.back !== '#fff'")
    page.settle()
    check("dark", page("ink.back") != "#fff" and page.pixel(-0.009 * page.length, page.first) != "255,255,255", page("ink.back"))
    page.chromium.colours(False)
    page.chromium.wait("ink.back === '#fff'")


def use_rows(page):
    key, count = page.chromium.key, page("rows.length")
    page("state.focus = rows.findIndex(r => r.folds); dirty()")
    key("Enter")
    check("Enter on a head: folds", page("rows.length") < count, [count, page("rows.length")])
    key("Enter")
    check("and unfolds", page("rows.length") == count, [count, page("rows.length")])
    page.chromium.click(page.left + 20, page.at(0, 0)[1])
    check("a click on a head: folds", page("rows.length") < count, [count, page("rows.length")])
    page.chromium.click(page.left + 20, page.at(0, 0)[1])
    height = page("state.height")
    page.chromium.click_on("[aria-label='height of rows']")
    check("the height of rows", page("state.height") != height, height)
    page("labels.focus()")
    key("ArrowDown")
    check("arrow down: another row", page("state.focus") > 0, page("state.focus"))
    check("which is told", page("document.getElementById(labels.getAttribute('aria-activedescendant'))"
                                ".getAttribute('aria-selected')") == "true", page("labels.outerHTML.slice(0, 200)"))


def rest(page):
    page.chromium.key("?")
    check("?: all keys", page("help.open"), page("help.open"))
    page.chromium.key("Escape")
    check("Escape closes that", not page("help.open"), page("help.open"))
    nameless = page("""[...document.querySelectorAll("button, input, select, canvas, [role]")].filter(e =>
        !(e.getAttribute("aria-label") || e.textContent || e.closest("label"))).map(e => e.outerHTML)""")
    check("names for who sees nothing", not nameless, nameless)
    page("go(view.length * 2, view.length * 3)")
    check("the last moment", page("state.to <= view.length * 1.05 + 200"), page.shown())


with browser.Browser(1200, 900) as chromium:
    address = sys.argv[1] if "://" in sys.argv[1] else "file://" + os.path.abspath(sys.argv[1])
    chromium.open(address, "!!document.getElementById('picture') || /cannot be shown/.test(document.body?.textContent)")
    chromium.wait("picture")
    the_page = Page(chromium)
    for part in (zoom_and_move, select_and_drag, search, look, use_rows, rest):
        part(the_page)
    check("nothing was complained of", not chromium.log, chromium.log)
sys.exit(0 if results and all(results) else 1)
