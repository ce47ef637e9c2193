"""The kept page in headless Chromium: layout, contrast, interaction, screenshots.

Run by run.sh, which skips this file if there is no Chromium. CHROMIUM names the program.
Screenshots go to the folder SCREENSHOTS if it is set.
"""

import html
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import kit

CHROMIUM = os.environ.get("CHROMIUM", "chromium")
PAGE = kit.ROOT / "docs" / "report.html"
CHECK = Path(__file__).with_name("check.js")
DARK = "--blink-settings=preferredColorScheme=0"


def browse(page, width, height, *options):
    """stdout and the lines of the console."""
    with tempfile.TemporaryDirectory() as profile:
        run = subprocess.run(
            [
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                f"--window-size={width},{height}",
                f"--user-data-dir={profile}",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--enable-logging=stderr",
                "--v=0",
                *options,
                page.as_uri(),
            ],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=900,  # ends a browser that hangs; a busy machine takes minutes
        )
    return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]


def pixels(path):
    """(width, height, lines of RGB bytes) of a PNG with 8 bits per channel."""
    data = path.read_bytes()
    place, packed, size = 8, b"", None
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        place += 12 + length
    width, height, depth, colours = size
    assert depth == 8 and colours in (2, 6)
    step = 3 if colours == 2 else 4
    raw, lines, before = zlib.decompress(packed), [], bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        line = unfilter(
            raw[start], bytearray(raw[start + 1 : start + 1 + width * step]), before, step
        )
        lines.append(line)
        before = line
    return width, height, [bytes(v for i, v in enumerate(li) if i % step < 3) for li in lines]


def unfilter(kind, line, before, step):
    for i in range(len(line) if kind else 0):
        left = line[i - step] if i >= step else 0
        up = before[i]
        corner = before[i - step] if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = (left + up) // 2
        else:
            guess = min(
                (abs(up - corner), 0, left),
                (abs(left - corner), 1, up),
                (abs(left + up - 2 * corner), 2, corner),
            )[2]
        line[i] = (line[i] + guess) & 255
    return line


FRAME = """<!DOCTYPE html><meta name="color-scheme" content="light dark"><body style="margin: 0">
<iframe style="border: 0; height: 1000px; width: {width}px" srcdoc="{page}"
onload="document.body.dataset.check = this.contentDocument.body.dataset.check"></iframe></body>"""


class Browser(unittest.TestCase):
    """A window has a least width, so the page is in a frame of the wanted width."""

    def check(self, width, *options, script=True):
        page = PAGE.read_text(encoding="utf-8")
        if not script:
            page = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
        page = page.replace("</body>", f"<script>\n{CHECK.read_text()}</script></body>")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "frame.html"
            copy.write_text(FRAME.format(width=width, page=html.escape(page)), encoding="utf-8")
            dom, console = browse(copy, 1500, 1000, *options, "--dump-dom")
        self.assertEqual(console, [])
        found = re.search(r'<body[^>]* data-check="([^"]*)"', dom)
        self.assertIsNotNone(found, "the check did not run")
        result = json.loads(html.unescape(found[1]))
        self.assertEqual(result["width"], width)
        self.assertEqual(result["dark"], DARK in options)
        self.assertEqual(result["wrong"], [])
        expected = page.count('class="chart wide"')
        self.assertEqual(result["charts"], expected)
        self.assertGreater(expected, 0)

    def test_phone(self):
        self.check(360)

    def test_phone_dark(self):
        self.check(360, DARK)

    def test_tablet(self):
        self.check(800)

    def test_desktop(self):
        self.check(1400)

    def test_desktop_dark(self):
        self.check(1400, DARK)

    def test_without_javascript(self):
        self.check(800, script=False)

    def screenshot(self, name, width, *options):
        folder = os.environ.get("SCREENSHOTS")
        with tempfile.TemporaryDirectory() as temporary:
            path = Path(folder or temporary) / f"{name}.png"
            _, console = browse(PAGE, width, 1200, *options, f"--screenshot={path}")
            self.assertEqual(console, [])
            found = pixels(path)
        self.assertEqual(found[:2], (width, 1200))
        lines = found[2]
        self.assertGreater(len({line[i : i + 3] for line in lines for i in range(0, 600, 3)}), 50)
        return sum(sum(line) for line in lines) / (255 * 3 * width * 1200)

    def test_screenshots(self):
        self.assertGreater(self.screenshot("light", 800), 0.65)
        self.assertLess(self.screenshot("dark", 800, DARK), 0.35)


if __name__ == "__main__":
    unittest.main()
