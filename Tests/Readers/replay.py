#!/usr/bin/python3
"""Runs a program on the recording of a reader, with its standard input.

usage: replay.py RECORDING PROGRAM [ARGUMENT...]

The program sees only the recorded device. `READER_PRELOAD` is loaded before it, with the settings
that steps.c lists. With `READER_CLAIMED` another program has claimed the reader, as sysfs shows it.
Exits as the program does.
"""
import glob
import os
import shutil
import socket
import sys
import threading

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev


def testbed(recording):
    bed = UMockdev.Testbed.new()
    paths = []
    for name in sorted(glob.glob(os.path.join(recording, "device*"))):
        with open(name) as file:
            text = file.read()
        paths.append("/sys" + text.split("\n", 1)[0].removeprefix("P: ").strip())
        bed.add_from_string(text)
    (events,) = [
        name for suffix in ("pcapng", "ioctl")
        for base in ("custom", "capture")
        if os.path.exists(name := os.path.join(recording, f"{base}.{suffix}"))
    ]
    if events.endswith(".pcapng"):
        bed.load_pcap(paths[0], events)
    else:
        with open(events) as file:
            device = file.readline().removeprefix("@DEV ").strip()
        bed.load_ioctl(device.removesuffix(" (SPI)"), events)
    if os.environ.get("READER_CLAIMED"):
        path = paths[0].removeprefix("/sys")
        links = "../" * (path.count("/") + 1)
        bed.add_from_string(
            f"P: {path}/{os.path.basename(path)}:1.0\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\n"
            f"L: driver={links}bus/usb/drivers/usbfs\n")
    return bed, paths


def unplug(bed, paths, control):
    while control.recv(1):
        for path in paths:
            bed.uevent(path, "remove")
            bed.remove_device(path)
        control.send(b".")


def main():
    recording, program = sys.argv[1], sys.argv[2:]
    bed, paths = testbed(recording)
    control, other = socket.socketpair()
    other.set_inheritable(True)
    threading.Thread(target=unplug, args=(bed, paths, control), daemon=True).start()
    preload = [os.environ.get("READER_PRELOAD"), "libumockdev-preload.so.0"]
    environment = dict(
        os.environ, LD_PRELOAD=":".join(filter(None, preload)), FP_DEVICE_EMULATION="1",
        UMOCKDEV_DIR=bed.get_root_dir(), READER_CONTROL=str(other.fileno()))
    child = os.posix_spawn(program[0], program, environment)
    loop = GLib.MainLoop()
    ends = []
    GLib.child_watch_add(GLib.PRIORITY_DEFAULT, child, lambda _, end: (ends.append(end), loop.quit()))
    os.close(0)
    other.close()
    loop.run()
    shutil.rmtree(bed.get_root_dir(), ignore_errors=True)
    code = os.waitstatus_to_exitcode(ends[0])
    # Passes on the signal that ended the program.
    if code < 0:
        os.kill(os.getpid(), -code)
    # Not by the testbed's own end, which waits for its threads.
    os._exit(code)


main()
