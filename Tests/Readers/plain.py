#!/usr/bin/python3
"""One step with plain libfprint.

usage: plain.py capture TARGET             the image of the present reader, and facts about it
       plain.py print TARGET DRIVER DEVICE the print of that image, for such a reader
       plain.py identify TARGET            whether the present reader finds that print
"""
import json
import os
import socket
import struct
import sys
import tempfile
import threading

STEP, TARGET = sys.argv[1:3]
directory = tempfile.TemporaryDirectory()
if STEP == "print":
    # Set before libfprint reads it.
    os.environ["FP_VIRTUAL_IMAGE"] = directory.name + "/s"

import gi  # noqa: E402

gi.require_version("FPrint", "2.0")
from gi.repository import FPrint, GLib  # noqa: E402

STAGES = 5
FORMAT = "(issbymsmsia{sv}v)"


def reader(driver=None):
    context = FPrint.Context()
    context.enumerate()
    found = [one for one in context.get_devices() if driver in (None, one.get_driver())]
    if not found:
        sys.exit("error: libfprint of this machine does not know the reader")
    found[0].open_sync()
    return context, found[0]


def capture():
    context, device = reader()
    image = device.capture_sync(True)
    with open(TARGET + ".image", "wb") as file:
        file.write(struct.pack("=ii", image.get_width(), image.get_height()))
        file.write(bytes(image.get_data()))
    device.close_sync()
    print(json.dumps(
        [device.get_driver(), device.get_device_id(), device.get_scan_type().value_nick]))


def make_print(driver, device_id):
    context, device = reader("virtual_image")
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ["FP_VIRTUAL_IMAGE"])
    with open(TARGET + ".image", "rb") as file:
        image = file.read()

    def scan(*arguments):
        if not arguments or arguments[1] < STAGES:
            threading.Thread(target=connection.sendall, args=(image,), daemon=True).start()

    template = FPrint.Print.new(device)
    template.set_finger(FPrint.Finger.RIGHT_INDEX)
    scan()
    data = bytes(device.enroll_sync(template, None, scan).serialize())
    whole = GLib.Variant.new_from_bytes(GLib.VariantType(FORMAT), GLib.Bytes.new(data[3:]), False)
    parts = [whole.get_child_value(index) for index in range(whole.n_children())]
    parts[1:3] = [GLib.Variant("s", driver), GLib.Variant("s", device_id)]
    made = GLib.Variant.new_tuple(*parts).get_data_as_bytes().get_data()
    with open(TARGET + ".print", "wb") as file:
        file.write(b"FP3" + made)


def identify():
    context, device = reader()
    with open(TARGET + ".print", "rb") as file:
        stored = FPrint.Print.deserialize(file.read())
    match, _ = device.identify_sync([stored])
    device.close_sync()
    print(json.dumps(match is not None))


if STEP == "capture":
    capture()
elif STEP == "print":
    make_print(*sys.argv[3:])
else:
    identify()
sys.stdout.flush()
# Ends without waiting for the virtual reader's connection and libusb's threads.
os._exit(0)
