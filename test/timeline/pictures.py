#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pictures.py PAGE DIR [--keep]: a timeline looks as it did when the pictures in DIR were kept; --keep keeps new ones.

PAGE is of bench/gen-experiment 8 300, whose times are always the same. Labels and texts beside the rows are left out, since
they depend on the machine's fonts; names in rows are small against the tolerance.
"""

import base64
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import brief  # what ends this is said in one line
import browser

WIDE, TALL, SCALE = 960, 240, 0.5
FAR, PART = 40, 0.02  # a pixel is another one if any of its colours is so far off; so many may be

PICTURES = {
    "whole": "go(0, view.length)",
    "part": "go(0.5 * view.length, 0.51 * view.length)",
    "exact": "go(0.5 * view.length, 0.5 * view.length + 12e3)",
    "search": "search.value = 'MPI_Send'; search.dispatchEvent(new Event('input'))",
    "low": "search.value = ''; search.dispatchEvent(new Event('input')); size.value = 9; size.dispatchEvent(new Event('input'))",
    "fewer": "size.value = 22; size.dispatchEvent(new Event('input')); setMessages(false); state.without.add(3); looksNew()",
    "dark": "state.without.clear(); setMessages(true); looksNew()",
}

COMPARE = """Promise.all([%r, %r].map(async data => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height);
})).then(([a, b]) => {
    let far = a.width === b.width && a.height === b.height ? 0 : Infinity;
    for (let i = 0; i < a.data.length && far < Infinity; i += 4)
        far += [0, 1, 2].some(k => Math.abs(a.data[i + k] - b.data[i + k]) > %d);
    return far / (a.width * a.height);
})"""


def main(page, folder, keeps):
    wrong = 0
    with browser.Browser(1200, 900) as chromium:
        chromium.open("file://" + os.path.abspath(page), "!!document.getElementById('picture')")
        chromium.wait("picture && picture.messages.all")
        for name, deed in PICTURES.items():
            chromium.colours(name == "dark")
            if name == "dark":
                chromium.wait("ink.back !== '#fff'")
            chromium.evaluate(deed + "; mouse = null; dirty()")
            chromium.wait(f"{browser.FRAMES}.then(() => !waiting && drawn && !picture.missing)")
            x, y = chromium.evaluate("(r => [r.left, r.top])(document.getElementById('area').getBoundingClientRect())")
            shot = chromium.ask("Page.captureScreenshot",
                                clip={"x": x, "y": y, "width": WIDE, "height": TALL, "scale": SCALE})["data"]
            path = os.path.join(folder, name + ".png")
            if keeps:
                with open(path, "wb") as file:
                    file.write(base64.b64decode(shot))
                continue
            with open(path, "rb") as file:
                off = chromium.evaluate(COMPARE % (base64.b64encode(file.read()).decode(), shot, FAR))
            if off is None or off > PART:
                wrong += 1
                print(f"{name}: another part of its pixels are others: {off}")
                with open(f"{name}-now.png", "wb") as file:
                    file.write(base64.b64decode(shot))
        if chromium.log:
            wrong += 1
            print(chromium.log)
    return wrong


sys.exit(1 if main(*sys.argv[1:3], "--keep" in sys.argv) else 0)
