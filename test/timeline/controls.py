#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""controls.py PAGE-OR-ADDRESS: uses a timeline by mouse and keys, as people do, and says what became of that."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import brief  # what ends this is said in one line
import browser

results = []


def check(what, holds, said):
    results.append(bool(holds))
    if not holds:
        print(f"wrong {what}: {said}")


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
        self.chromium.wait(f"{browser.FRAMES}.then(() => !waiting && drawn && picture && !picture.missing)")

    def pixel(self, time, row):
        return self(f"""(() => {{
            const copy = new OffscreenCanvas(canvas.width, canvas.height), pen = copy.getContext("2d");
            pen.drawImage(canvas, 0, 0);
            const part = ({time} - picture.from) / (picture.to - picture.from);
            /* below what is written there */
            const y = above({row}) - AXIS + box.scrollTop - picture.top + Math.max(state.height / 2, state.height - 5);
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


def arrange_rows(page):
    key, names = page.chromium.key, "tracksOf(rows).join()"
    page("state.focus = rows.findIndex(r => r.level === 2 && !isCpu(r.track)); labels.focus(); dirty()")
    before, track = page(names), page("rows[state.focus].track")
    key("x")
    check("x: the row is hidden", not page(f"rows.some(r => r.track === {track})"), page(names))
    key("s")
    check("s: what is shown", not page("filterBox.hidden"), "it is hidden")
    page.chromium.click(*page("(() => { const r = allButton.getBoundingClientRect(); return [r.left + 9, r.top + 9]; })()"))
    check("a button shows it again", page(names) == before, [before, page(names)])
    page(f"labels.focus(); state.focus = rows.findIndex(r => r.track === {track})")
    key("t")
    check("t: the row stays at the top", page("rows[0].track") == track and page("rows[0].pinned"), page("rows[0]"))
    key("t")
    check("t again: no longer", page(names) == before, [before, page(names)])
    page(f"state.focus = rows.findIndex(r => r.track === {track})")
    key("ArrowDown", browser.SHIFT)
    moved = page(names)
    key("ArrowUp", browser.SHIFT)
    if page("new Set(view.tracks.filter(t => t.kind === 'thread').map(t => t.process)).size") > 1:
        check("shift and arrow down: another place", moved != before, moved)
    check("shift and arrow up: and back", page(names) == before, [before, page(names)])
    for order in ("name", "waiting", "busy", "recorded"):
        page(f"orderBox.value = '{order}'; orderBox.dispatchEvent(new Event('change'))")
        page.chromium.wait(f"state.order === '{order}'")
    check("sorted, and as recorded again", page(names) == before, [before, page(names)])


def filter_rows(page):
    names = "tracksOf(rows).filter(t => !isCpu(t)).map(t => view.tracks[t].rank).join()"
    page("filterBox.querySelector('input').focus()")
    page.chromium.type("1")
    check("ranks: one is left", set(page(names).split(",")) == {"1"}, page(names))
    page.chromium.type("x")
    check("what is no rank is told", page("filterBox.querySelector('input').validationMessage"), "nothing")
    page.chromium.key("Backspace")
    page.chromium.key("Backspace")
    check("and all of them again", len(set(page(names).split(","))) > 1, page(names))
    page("go(0, view.length)")
    page.settle()
    at = page("(() => { const t = view.tracks[rows[%d].track]; return (t.begin + t.end) / 2; })()" % page.first)
    there = page.pixel(at, page.first)
    page("document.querySelectorAll('#filter input[type=checkbox]').forEach(i => i.checked && i.click())")
    page.settle()
    check("without all kinds the rows are dim", page.pixel(at, page.first) != there, there)
    page("document.querySelectorAll('#filter input[type=checkbox]').forEach(i => i.checked || i.click())")
    page.settle()
    check("and with them as before", page.pixel(at, page.first) == there, [there, page.pixel(at, page.first)])
    page("""(i => { i.value = "#123456"; i.dispatchEvent(new Event("input")); })(filterBox.querySelector("[type=color]"))""")
    check("a colour of the user's is kept", page("localStorage.getItem(KEPT)") == '{"0":"#123456"}', page("localStorage.getItem(KEPT)"))
    page("filterBox.querySelector('button:not([disabled])').click(); [...filterBox.querySelectorAll('button')].at(-1).click()")
    check("and the usual ones again", page("localStorage.getItem(KEPT)") == "{}", page("localStorage.getItem(KEPT)"))
    page("labels.focus()")
    page.chromium.key("s")


def use_curves(page):
    if not page("view.curves.length"):
        return
    names = "rows.filter(r => r.track !== undefined && isCurve(r.track)).map(r => view.tracks[r.track].name).join()"
    key, all_names = page.chromium.key, page(names)
    check("each counter of each thread has a row", page("rows.filter(r => r.track !== undefined && isCurve(r.track)).length") ==
          page("view.curves.length"), all_names)
    page("go(0, view.length)")
    page.settle()
    row = page("rows.findIndex(r => r.track !== undefined && isCurve(r.track) && /task-clock/.test(view.tracks[r.track].name))")
    drawn = page(f"""(() => {{
        const copy = new OffscreenCanvas(canvas.width, canvas.height), pen = copy.getContext("2d");
        pen.drawImage(canvas, 0, 0);
        const y = above({row}) - AXIS + box.scrollTop - picture.top, seen = new Set();
        const data = pen.getImageData(0, y * devicePixelRatio, canvas.width, state.height * devicePixelRatio).data;
        for (let i = 0; i < data.length; i += 4)
            seen.add(data.slice(i, i + 3).join());
        return [...seen];
    }})()""")
    check("it is drawn", len(drawn) > 2, drawn)
    page.chromium.point(*page.at(0.5 * page.length, row))
    said = page.chromium.wait("/the row is from/.test(info.textContent) && info.textContent")
    check("its value is said", re.search(r"task-clock.*[0-9]", said), said)
    page.chromium.point(5, 5)
    page("labels.focus()")
    key("s")
    page("[...filterBox.querySelectorAll('label')].find(l => /task-clock/.test(l.textContent)).querySelector('input').click()")
    check("and switched off", "task-clock" in all_names and "task-clock" not in page(names), page(names))
    page("[...filterBox.querySelectorAll('label')].find(l => /task-clock/.test(l.textContent)).querySelector('input').click()")
    check("and on", page(names) == all_names, page(names))
    page("labels.focus()")
    key("s")


def use_findings(page):
    page.chromium.key("f")
    page.chromium.wait("findings")
    check("f: findings", not page("findingsBox.hidden"), "they are hidden")
    if page("document.querySelector('#findings [data-cause]') && placesOf(0).length"):
        page.chromium.click_on("#findings [data-cause]")
        wait = page.chromium.wait("state.found && state.found.wait")
        a, b = page.shown()
        check("a click on one leads to its longest wait", a <= wait["begin"] and wait["end"] <= b, [a, b, wait])
        check("which is told", page("/waits .* for/.test(info.textContent)") or page.chromium.wait(
            "/waits .* for/.test(info.textContent)"), page("info.textContent"))
        row = page(f"rows.findIndex(r => r.track === {wait['track']})")
        page.settle()
        x, y = page.at((wait["begin"] + wait["end"]) / 2, row)
        page.chromium.point(x, y + page("state.height") / 2 - 3)
        page.chromium.wait("state.under && state.under.wait")
        check("a wait's mark leads to its finding", page("document.querySelector('#findings [aria-current=true]')?.dataset.cause")
              == str(wait["cause"]), page("findingsBox.innerHTML.slice(0, 200)"))
        page.chromium.key("c")
        page.chromium.wait("/came then/.test(state.note)")
        check("c: from the wait to whom it was for", page("state.found.track") == wait["other"], page("state.found"))
    page.chromium.point(5, 5)
    page("labels.focus()")
    page.chromium.key("f")


def axe(page):
    """What axe-core finds, where a copy of it is."""
    path = os.environ.get("HYB_AXE")
    if not path:
        print("# HYB_AXE names no copy of axe-core: what it would find is not known")
        return
    with open(path, encoding="utf-8") as file:
        page(file.read() + "; 1")
    for what in ("1", "toggleFindings(); 1", "toggleFilter(); 1"):
        page(what)
        page.settle()
        found = page("axe.run().then(r => r.violations.map(v => `${v.impact} ${v.id}: ${v.nodes[0].html.slice(0, 100)}`))")
        check(f"axe-core after {what}", not found, found)
    page("toggleFindings(); toggleFilter(); labels.focus()")


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
    # While it reads on, what it says of that moves everything else.
    chromium.wait("picture && !running.textContent")
    the_page = Page(chromium)
    for part in (zoom_and_move, select_and_drag, search, look, use_rows, arrange_rows, filter_rows, use_curves, use_findings, axe, rest):
        part(the_page)
    check("nothing was complained of", not chromium.log, chromium.log)
print(f"{sum(results)} of {len(results)} as they should be")
sys.exit(0 if results and all(results) else 1)
