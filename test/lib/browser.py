# SPDX-License-Identifier: BSD-3-Clause
"""Chromium as a person uses it: mouse, keys, what is on the screen.

It is spoken to over two pipes (--remote-debugging-pipe), JSON that ends with a zero byte, so nothing but Python and
Chromium is needed.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
KEYS = {
    "Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9, "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "F10": 121, "Delete": 46,
}
SHIFT, CONTROL = 8, 2
# to be waited for: until then a page has seen how it was scrolled, and which sizes it has
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One with one page. `log`: what pages and the browser complained of."""

    def __init__(self, width=1200, height=900, options=()):
        self.log, self.number, self.left, self.dark = [], 0, b"", False
        self.profile = tempfile.mkdtemp(prefix="hybmon-test-browser-")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def give():
            # Both may have one of these numbers already.
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             "--force-device-scale-factor=1", f"--window-size={width},{height}", f"--user-data-dir={self.profile}",
             *options, "about:blank"],
            preexec_fn=give, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.session = None
        page = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        self.ask("Runtime.enable")
        self.ask("Page.enable")
        self.ask("Log.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def receive(self):
        while b"\0" not in self.left:
            if not select.select([self.back], [], [], 600)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError("the browser has gone")
            self.left += more
        one, self.left = self.left.split(b"\0", 1)
        return json.loads(one)

    def note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.log.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.log.append(what["entry"]["text"])

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                self.note(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def evaluate(self, text):
        """What an expression of the page's script is; promises are waited for."""
        answer = self.ask("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{text}: {details.get('exception', {}).get('description') or details['text']}")
        return answer["result"].get("value")

    def wait(self, text, seconds=300):
        """Until that is true; what it is."""
        end = time.monotonic() + seconds
        while True:
            value = self.evaluate(text)
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {text}; {self.log}; {self.evaluate('document.body.innerText.slice(-800)')}")
            time.sleep(0.02)

    def open(self, address, ready="document.readyState === 'complete'"):
        self.ask("Page.navigate", url=address)
        return self.wait(ready)

    def mouse(self, kind, x, y, button="none", buttons=0, modifiers=0, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, modifiers=modifiers, **more)

    def point(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click(self, x, y, count=1, modifiers=0):
        self.point(x, y)
        for i in range(1, count + 1):
            self.mouse("mousePressed", x, y, "left", 1, modifiers, clickCount=i)
            self.mouse("mouseReleased", x, y, "left", 0, modifiers, clickCount=i)

    def drag(self, x, y, to_x, to_y, modifiers=0, steps=8):
        self.point(x, y)
        self.mouse("mousePressed", x, y, "left", 1, modifiers, clickCount=1)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", x + (to_x - x) * i / steps, y + (to_y - y) * i / steps, "left", 1, modifiers)
        self.mouse("mouseReleased", to_x, to_y, "left", 0, modifiers, clickCount=1)

    def wheel(self, x, y, by, modifiers=0):
        self.mouse("mouseWheel", x, y, modifiers=modifiers, deltaX=0, deltaY=by)

    def key(self, name, modifiers=0):
        text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
        code = KEYS.get(name, ord(name.upper()) if len(name) == 1 else 0)
        self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=name, text=text, modifiers=modifiers,
                 windowsVirtualKeyCode=code)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=name, modifiers=modifiers, windowsVirtualKeyCode=code)

    def type(self, text):
        for letter in text:
            self.key(letter)

    def click_on(self, selector, **more):
        """The middle of an element."""
        x, y = self.evaluate(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                             " return [r.left + r.width / 2, r.top + r.height / 2]; })()")
        self.click(x, y, **more)

    def colours(self, dark):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def end(self):
        self.session = None
        try:
            self.ask("Browser.close")
        except (EOFError, OSError, TimeoutError):
            self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
