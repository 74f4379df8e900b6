#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""frames.py HYBMON-VIEW EXPERIMENT ROUNDS: rows for view.sh, as what|value|target, or as what|why there is none|-.

How smooth the timeline is at 1920x1080 without a GPU: the time between two frames of the page while the wheel turns and
the mouse drags, one event a frame, and how long the picture that a frame shows had been wanted before.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "lib"))
import browser

MOVE = """
new Promise(done => {
	const canvas = document.getElementById("stage"), place = canvas.getBoundingClientRect(), times = [];
	const at = (x, y, more) => ({ clientX: place.left + x, clientY: place.top + y, pointerId: 1, bubbles: true,
		cancelable: true, ...more });
	canvas.setPointerCapture = () => {};
	let n = 0;
	const step = () => {
		times.push(performance.now());
		const turn = n % 120, x = 1000 + 600 * Math.sin(n / 40);
		if (turn < 80) {
			canvas.dispatchEvent(new WheelEvent("wheel", at(x, 300, { deltaY: n % 240 < 120 ? -60 : 60 })));
		} else {
			const kind = turn === 80 ? "pointerdown" : turn === 119 ? "pointerup" : "pointermove";
			canvas.dispatchEvent(new PointerEvent(kind, at(1000 + 8 * (turn - 80) * (n % 240 < 120 ? -1 : 1), 300 + (turn - 80) / 4)));
		}
		if (++n < 480)
			requestAnimationFrame(step);
		else
			done(times);
	};
	requestAnimationFrame(step);
})
"""

tool, experiment, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])


def spread(values):
    values = sorted(values)
    return f"{values[0]:.1f} / {values[len(values) // 2]:.1f} / {values[-1]:.1f} ms"


if not browser.find():
    print("view: frames at 1920x1080|there is no chromium|-")
    sys.exit()
server = subprocess.Popen([tool, "--no-browser", experiment], stdout=subprocess.PIPE, text=True)
address = server.stdout.readline().strip()
medians, most, worst, least = [], [], [], []
for _ in range(rounds):
    with browser.Browser(1920, 1080) as chromium:
        chromium.open(address, "!!document.getElementById('stage')")
        chromium.evaluate("new Promise(done => setTimeout(done, 2000))")
        times = chromium.evaluate(MOVE)
        frames = sorted(b - a for a, b in zip(times, times[1:]))
        medians.append(frames[len(frames) // 2])
        most.append(frames[int(0.95 * len(frames))])
        worst.append(frames[-1])
        # What the browser and the machine take for a page that gets the same and does nothing.
        chromium.evaluate("go = dirty = () => {}; 1")
        times = chromium.evaluate(MOVE)
        least.append(sorted(b - a for a, b in zip(times, times[1:]))[int(0.95 * (len(times) - 1))])
        for line in chromium.log:
            print(f"frames.py: the page says: {line}", file=sys.stderr)
server.terminate()
server.wait()
print(f"view: a frame at 1920x1080 while it zooms and moves, median|{spread(medians)}|-")
print(f"view: a frame, 95 %|{spread(most)}|17 ms")
print(f"view: a frame, 95 %, of the same page that does nothing|{spread(least)}|-")
print(f"view: a frame, the longest|{spread(worst)}|50 ms")
