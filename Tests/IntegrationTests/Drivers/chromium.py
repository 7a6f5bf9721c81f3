#!/usr/bin/python3
"""Signs in at an identity provider with a real browser, and examines the last page.

    chromium.py REPORT [--user NAME] [--password TEXT] [--deny] URL

REPORT is a directory for `report.json` and for pictures of the last page, `WIDTH-light.png` and
`WIDTH-dark.png`. The report has the title, the text, violations of the page's policy, overflowing
elements, and the colours.
"""
import argparse
import base64
import json
import os
import sys
import tempfile

from devtools import Chromium

WIDTHS = {390: 844, 1280: 800}

FILL_IN = """(options => {
  if (document.title.endsWith('Thumblatch')) return 'done';
  const field = name => document.querySelector(`input[name=${name}]`);
  if (field('password')) {
    field('username').value = options.user;
    field('password').value = options.password;
    setTimeout(() => document.querySelector('[type=submit]').click());
    return 'password';
  }
  const button = document.getElementById(options.deny ? 'deny' : 'allow');
  if (button) {
    setTimeout(() => button.click());
    return 'answer';
  }
  return 'lost: ' + document.location.href + ' ' + document.documentElement.innerText;
})"""

LOOK = """({
  title: document.title,
  text: document.body.innerText,
  address: document.location.origin + document.location.pathname,
  scripts: document.scripts.length,
  loaded: performance.getEntriesByType('resource').map(one => one.name),
  styled: getComputedStyle(document.querySelector('main')).borderRadius != '0px',
})"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("url")
    parser.add_argument("--user", default="ada@example.org")
    parser.add_argument("--password", default="provider-password")
    parser.add_argument("--deny", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Chromium(profile)
        try:
            look(browser, options)
        finally:
            browser.end()


def origin(url):
    return "/".join(url.split("/")[:3]) + "/"


def look(browser, options):
    browser.call("Page.navigate", url=options.url)
    given = json.dumps({"user": options.user, "password": options.password, "deny": options.deny})
    for _ in range(6):
        browser.wait_for("Page.loadEventFired")
        step = browser.run(f"{FILL_IN}({given})")
        if step == "done" or step.startswith("lost"):
            break
    if step != "done":
        sys.exit(step)
    report = browser.run(LOOK)
    report["overflow"], report["colours"] = {}, {}
    for width, height in WIDTHS.items():
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=width < 600)
        for scheme in ("light", "dark"):
            browser.call("Emulation.setEmulatedMedia",
                         features=[{"name": "prefers-color-scheme", "value": scheme}])
            name = f"{width}-{scheme}"
            report["overflow"][name] = browser.run("document.documentElement.scrollWidth") - width
            report["colours"][name] = browser.run(
                "getComputedStyle(document.documentElement).backgroundColor")
            picture = browser.call("Page.captureScreenshot", format="png")["data"]
            with open(f"{options.report}/{name}.png", "wb") as file:
                file.write(base64.b64decode(picture))
    # Violations of the policy, failed scripts, and requests to other addresses.
    events = [one for one in browser.seen if one.get("sessionId") == browser.session]
    report["complaints"] = [
        one["params"]["entry"]["text"] for one in events if one["method"] == "Log.entryAdded"
        and not one["params"]["entry"].get("url", "").startswith(origin(options.url))
        # An answer of 400 is no complaint: a page that signs no user in has that status.
        and one["params"]["entry"]["source"] != "network"]
    headers = [one["params"]["response"] for one in events
               if one["method"] == "Network.responseReceived"
               and one["params"]["response"]["url"].startswith(report["address"])]
    report["headers"] = {
        name.lower(): value for name, value in (headers[-1]["headers"] if headers else {}).items()}
    report["status"] = headers[-1]["status"] if headers else 0
    with open(f"{options.report}/report.part", "w", encoding="utf-8") as file:
        json.dump(report, file)
    os.rename(f"{options.report}/report.part", f"{options.report}/report.json")


main()
