#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What stands in a page of hybmon report.

page.py same PAGE REPORT.json      the page holds that report, and nothing that ends its script early
page.py alone PAGE                 it asks for nothing from outside itself
page.py shown DOM REPORT.json      what a browser made of it names what is in the waits and causes, and each region
"""
import html.parser
import json
import re
import sys


class Page(html.parser.HTMLParser):
    """Texts by element; attributes that make a browser fetch."""

    def __init__(self, text):
        super().__init__()
        self.inside, self.texts, self.fetched, self.tags = None, {}, [], {}
        self.words = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.inside = attrs.get("id", tag)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.fetched += [f"{tag} {name}={attrs[name]}" for name in ("src", "srcset", "data", "action") if name in attrs]
        if tag == "link" or "href" in attrs and not attrs["href"].startswith("#"):
            self.fetched.append(f"{tag} {attrs}")

    def handle_data(self, data):
        self.texts[self.inside] = self.texts.get(self.inside, "") + data
        if self.inside not in ("report", "script", "style"):
            self.words.append(data)


def fail(*words):
    print("#", *words)
    sys.exit(1)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def same(page, report):
    if page.tags.get("script") != 2:
        fail(page.tags.get("script"), "script elements instead of 2")
    if json.loads(page.texts["report"]) != report:
        fail("the page holds another report than --json writes")


def alone(page, text):
    if page.fetched:
        fail("fetches", *page.fetched)
    namespaces = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml")
    code = text.replace(page.texts["report"], "")
    others = [a for a in re.findall(r"https?://[^\"'`\s<>]+", code) if a not in namespaces]
    if others or re.search(r"@import|\burl\(|\bfetch\(|XMLHttpRequest|\bimport\(", code):
        fail("asks elsewhere:", *others)


def texts_of(report, name):
    for key, value in report.items() if isinstance(report, dict) else enumerate(report):
        if isinstance(value, (dict, list)):
            yield from texts_of(value, name)
        elif key == name and isinstance(value, str):
            yield value


def shown(page, report):
    seen = " ".join(page.words)
    wanted = {name for part in ("waits", "causes") for name in texts_of(report[part], "name")}
    wanted |= {region["name"] for region in report["profile"]["regions"] if "name" in region}
    missing = [name for name in sorted(wanted) if name not in seen]
    if missing:
        fail("not shown:", *missing)
    if page.tags.get("table", 0) < 2:
        fail("there is no table")
    for bad in ("undefined", "NaN", "[object"):
        if bad in seen:
            fail("shows", bad)


def main():
    how, text = sys.argv[1], read(sys.argv[2])
    page = Page(text)
    if how == "alone":
        return alone(page, text)
    return (same if how == "same" else shown)(page, json.loads(read(sys.argv[3])))


main()
