import System
import TestSupport
import Testing

@testable import Commands

/// The kernel's list of HID devices shows whether a security key is plugged in.
struct PluggedKeysTests {
  /// The report descriptor of a key, as most of them have it.
  private static let key: [UInt8] = [
    0x06, 0xd0, 0xf1, 0x09, 0x01, 0xa1, 0x01, 0x09, 0x20, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
    0x95, 0x40, 0x81, 0x02, 0x09, 0x21, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x40, 0x91,
    0x02, 0xc0,
  ]
  /// That of a keyboard for the boot protocol (HID 1.11, appendix B.1).
  private static let keyboard: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01, 0xc0,
  ]

  /// A directory like `/sys/class/hidraw`, whose devices have these descriptors.
  private func list(
    _ descriptors: [[UInt8]?],
    _ body: (String) throws -> Void
  ) throws {
    let base = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(base) }
    let list = base + "/class"
    _ = try Directory.make(path: list)
    for (number, descriptor) in descriptors.enumerated() {
      let name = "hidraw\(number)"
      let device = try Directory.make(path: base + "/devices/\(number)")
      _ = try Directory.make(path: base + "/devices/\(number)/hidraw/\(name)")
      if let descriptor { try device.create("report_descriptor").write(descriptor) }
      try run("/bin/ln", ["-s", "../..", base + "/devices/\(number)/hidraw/\(name)/device"])
      try run("/bin/ln", ["-s", "../devices/\(number)/hidraw/\(name)", list + "/" + name])
    }
    try body(list)
  }

  @Test
  func onlyAListWithoutAKeyTellsThatNoneIsPluggedIn() throws {
    try list([Self.keyboard]) { #expect(PluggedKeys.areMissing(in: $0)) }
    try list([Self.keyboard, Self.keyboard]) { #expect(PluggedKeys.areMissing(in: $0)) }
    try list([Self.keyboard, Self.key]) { #expect(!PluggedKeys.areMissing(in: $0)) }
    // A device that is pulled out at this moment, and a machine that lists none.
    try list([Self.keyboard, nil]) { #expect(!PluggedKeys.areMissing(in: $0)) }
    try list([]) { path in
      #expect(!PluggedKeys.areMissing(in: path))
      #expect(!PluggedKeys.areMissing(in: path + "/missing"))
    }
  }

  @Test
  func aDescriptorIsReadItemByItem() {
    #expect(PluggedKeys.isSecurityKey(Self.key))
    #expect(!PluggedKeys.isSecurityKey(Self.keyboard))
    #expect(PluggedKeys.isSecurityKey(Self.keyboard + Self.key))
    // A usage with its page, and one behind a long item.
    #expect(PluggedKeys.isSecurityKey([0x0b, 0x01, 0x00, 0xd0, 0xf1]))
    #expect(PluggedKeys.isSecurityKey([0xfe, 0x02, 0x10, 0x06, 0xd0] + Self.key))
    // The bytes of the page in the data of other items, and another usage of the page.
    #expect(!PluggedKeys.isSecurityKey([0x27, 0x06, 0xd0, 0xf1, 0x09, 0x01]))
    #expect(!PluggedKeys.isSecurityKey([0x06, 0xd0, 0xf1, 0x09, 0x02]))
    // A cut descriptor is no key, and ends the search.
    for count in 0..<5 { #expect(!PluggedKeys.isSecurityKey(Array(Self.key.prefix(count)))) }
    #expect(!PluggedKeys.isSecurityKey([0xfe]))
    #expect(!PluggedKeys.isSecurityKey([0xfe, 0xff]))
  }
}
