#!/usr/bin/python3
"""A headless Chromium, used only by keyboard and screen reader, as a person would.

    browser.py PROFILE [PICTURES]

Reads commands from standard input, one JSON object a line, and answers each with an object. Exits
at the end of its input. PROFILE is a directory for the browser. If PICTURES names a directory,
`look` saves pictures there.

    {"do": "open", "url": URL}
    {"do": "await", "title": BEGINNING, "text": PART}   waits for such a page, 60 s at most; with
                                                        "other": BEGINNING also for that title
    {"do": "type", "text": TEXT}                        types into the focused element
    {"do": "press", "key": "Tab" | "Enter"}
    {"do": "reach", "name": NAME}                       presses Tab until this has the focus
    {"do": "round"}                                     the names of all that Tab reaches, in order;
                                                        an error if one shows no focus ring
    {"do": "point", "name": NAME}                       presses the mouse on it, and releases it
                                                        elsewhere: whether it shows a ring then
    {"do": "look", "name": NAME}                        everything that is wrong with the page
    {"do": "script", "on": false}                       whether pages may run scripts

`open`, `await` and `press` answer with the page: title, heading, text, address, status, the focused
element, alerts and states.
"""
import base64
import json
import sys
import time

from devtools import Chromium, Refused
from page import FAULTS, NAME_OF, PAGE, PLACE, RING

LIMIT = 150
SIZES = {390: 844, 1280: 800}
KEYS = {"Tab": ("Tab", 9, None), "Enter": ("Enter", 13, "\r")}


class Browser:
    def __init__(self, profile, pictures):
        self.chromium, self.pictures = Chromium(profile), pictures
        # A window of a headless browser has no focus by itself.
        self.chromium.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.chromium.call("Accessibility.enable")
        self.size(390)

    def answer(self, given):
        return getattr(self, "do_" + given.pop("do"))(**given)

    def size(self, width):
        self.chromium.call("Emulation.setDeviceMetricsOverride", width=width, height=SIZES[width],
                           deviceScaleFactor=1, mobile=False)

    def media(self, scheme, motion="no-preference"):
        self.chromium.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion}])

    def page(self):
        found = self.chromium.run(PAGE)
        found["status"] = next(
            (one["params"]["response"]["status"] for one in reversed(self.chromium.seen)
             if one.get("method") == "Network.responseReceived"
             and one["params"]["type"] == "Document"), 0)
        return found

    def do_open(self, url):
        self.chromium.call("Page.navigate", url=url)
        return {}

    def do_await(self, title="", text="", other=None):
        deadline, found, passed = time.monotonic() + LIMIT, {}, []
        while time.monotonic() < deadline:
            try:
                found = self.page()
                if found["title"] not in passed[-1:]:
                    passed.append(found["title"])
                # The focus moves to its element when the page is first drawn.
                if found["ready"] and found["focus"] and (
                        found["title"].startswith(title) and text in found["text"]
                        or other is not None and found["title"].startswith(other)):
                    return found
            except (Refused, TypeError):
                pass  # the page is about to go
            # Wait for the next event, but only for a second, because it may have come before the
            # question.
            message = self.chromium.message(min(deadline, time.monotonic() + 1))
            if message:
                self.chromium.seen.append(message)
        return {"error": f"no {title!r} with {text!r}, but {passed}: {found}"}

    def do_type(self, text):
        self.chromium.call("Input.insertText", text=text)
        return {}

    def do_press(self, key):
        name, code, text = KEYS[key]
        more = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        if text:
            more["text"] = text
        self.chromium.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **more)
        more.pop("text", None)
        self.chromium.call("Input.dispatchKeyEvent", type="keyUp", **more)
        return {}

    def do_reach(self, name):
        passed = []
        for _ in range(30):
            self.do_press("Tab")
            passed.append(self.chromium.run(f"{NAME_OF}(document.activeElement)"))
            if passed[-1] == name:
                return {"passed": passed}
        return {"error": f"Tab reaches {passed}, not {name!r}"}

    def do_round(self):
        """All stops of the Tab key, from the focused element until the focus returns there."""
        stops = []
        for _ in range(40):
            self.do_press("Tab")
            stop = self.chromium.run(f"{NAME_OF}(document.activeElement)")
            if stop and stop == (stops or [None])[0]:
                return {"stops": stops}
            if stop:
                stops.append(stop)
                if not self.chromium.run(RING):
                    return {"error": f"no ring: {stop}"}
        return {"error": f"Tab does not come round: {stops}"}

    def do_point(self, name):
        place = self.chromium.run(f"{PLACE}({json.dumps(name)})")
        if not place:
            return {"error": f"no {name!r}"}
        mouse = {"button": "left", "clickCount": 1}
        self.chromium.call("Input.dispatchMouseEvent", type="mousePressed", **place, **mouse)
        focus = self.chromium.run(f"{NAME_OF}(document.activeElement)")
        ring = self.chromium.run(RING)
        # Released elsewhere, the press is no click.
        self.chromium.call("Input.dispatchMouseEvent", type="mouseReleased", x=1, y=1, **mouse)
        return {"focus": focus, "ring": ring}

    def do_script(self, on):
        self.chromium.call("Emulation.setScriptExecutionDisabled", value=not on)
        return {}

    def do_look(self, name):
        faults = self.heard()
        for width in SIZES:
            self.size(width)
            for scheme in ("light", "dark"):
                self.media(scheme, "reduce")
                faults += [f"{width} {scheme}: {one}" for one in self.chromium.run(FAULTS)]
                if self.pictures:
                    picture = self.chromium.call("Page.captureScreenshot", format="png")["data"]
                    with open(f"{self.pictures}/{name}-{width}-{scheme}.png", "wb") as file:
                        file.write(base64.b64decode(picture))
        self.size(390)
        self.media("light")
        faults += [one["params"]["entry"]["text"] for one in self.chromium.seen
                   if one.get("method") == "Log.entryAdded"
                   # An answer of 403 or 422 is no complaint.
                   and one["params"]["entry"]["source"] != "network"]
        return {"faults": faults}

    def heard(self):
        """The problems for a person who hears the page, from the data that Chromium gives a screen
        reader."""
        tree = self.chromium.call("Accessibility.getFullAXTree")["nodes"]
        nodes = [Node(one) for one in tree if not one.get("ignored")]

        def of(*roles):
            return [one for one in nodes if one.role in roles]

        faults = []
        headings = [one for one in of("heading") if one.facts.get("level") == 1]
        if len(headings) != 1 or not headings[0].name:
            faults.append(f"level 1: {headings}")
        if len(of("main")) != 1:
            faults.append("not one main part")
        title = of("RootWebArea")[0].name
        if not title.endswith(" · Thumblatch example") or len(title) < 24:
            faults.append(f"title: {title!r}")
        for one in of("textbox", "button", "link"):
            if not one.name.strip():
                faults.append(f"a {one.role} without a name")
        for one in of("textbox"):
            if one.facts.get("invalid", "false") != "false" and not one.description:
                faults.append(f"wrong, and no text says why: {one.name}")
        for one in of("alert", "status"):
            wanted = "assertive" if one.role == "alert" else "polite"
            if one.facts.get("live") != wanted:
                faults.append(f"not announced as {wanted}: {one.role}")
        for one in of("image", "img", "SvgRoot", "graphics-document"):
            faults.append(f"a picture that is told: {one.name!r}")
        if not any(one.facts.get("focused") for one in nodes if one.role != "RootWebArea"):
            faults.append("nothing has the focus")
        return faults


class Node:
    def __init__(self, node):
        self.role = node.get("role", {}).get("value", "")
        self.name = node.get("name", {}).get("value", "")
        self.description = node.get("description", {}).get("value", "")
        self.facts = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}

    def __repr__(self):
        return f"{self.role} {self.name!r}"


def main():
    browser = Browser(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    try:
        print(json.dumps({}), flush=True)
        for line in sys.stdin:
            try:
                answer = browser.answer(json.loads(line))
            except Refused as refused:
                answer = {"error": str(refused)}
            print(json.dumps(answer), flush=True)
    finally:
        browser.chromium.end()


main()
