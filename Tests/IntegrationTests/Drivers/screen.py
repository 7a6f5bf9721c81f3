"""The screen of Xvfb, and its pixels. desk.py uses it."""
import mmap
import struct
import zlib


class Screen:
    """The screen of Xvfb, which the server keeps in a file in the format of xwd."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        # XWDFile.h: numbers of 32 bits, the most significant byte first.
        header = struct.unpack(">25I", self.map[:100])
        self.width, self.height, self.stride = header[4], header[5], header[12]
        self.start = header[0] + 12 * header[19]

    def row(self, y):
        """The pixels of a row, of four bytes each: blue, green, red, nothing."""
        at = self.start + y * self.stride
        return self.map[at:at + 4 * self.width]

    def words(self, left, top, right, bottom, gap):
        """The last row of words of a rectangle: the ranges of columns with dark pixels, and the middle
        of the row. Ranges that are closer than `gap` belong together."""
        rows = [self.row(y)[4 * left + 1:4 * right:4] for y in range(top, bottom)]
        dark = [any(level < 110 for level in row) for row in rows]
        if True not in dark:
            return [], 0
        last = len(dark) - 1 - dark[::-1].index(True)
        first = last
        # The tail of a letter may be apart from its body.
        while True in dark[max(0, first - 3):first]:
            first -= 1
        ranges = []
        for x in range(right - left):
            if all(row[x] >= 110 for row in rows[first:last + 1]):
                continue
            if ranges and x - ranges[-1][1] < gap:
                ranges[-1][1] = x
            else:
                ranges.append([x, x])
        return [(left + first, left + last) for first, last in ranges], top + (first + last) // 2

    def write(self, path):
        """Writes a picture in the format PNG."""
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        pixels = b""
        for y in range(self.height):
            row, colors = self.row(y), bytearray(3 * self.width)
            colors[0::3], colors[1::3], colors[2::3] = row[2::4], row[1::4], row[0::4]
            pixels += b"\0" + colors
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + b"".join((
                chunk(b"IHDR", struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)),
                chunk(b"IDAT", zlib.compress(pixels)), chunk(b"IEND", b""))))


