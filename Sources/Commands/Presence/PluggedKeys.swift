internal import System

/// The security keys among the HID devices that the kernel lists to each user.
enum PluggedKeys {
  /// The usage of a key's interface: page 0xF1D0, usage 1 (CTAP 2.1, section 11.2.8.2).
  private static let usage: UInt32 = 0xf1d0_0001
  /// The most bytes of a report descriptor, and room for one more read.
  private static let mostBytes = 8192

  /// Whether there are HID devices, and none of them is a security key.
  ///
  /// False if there are none, as in many containers, or if one cannot be read.
  static func areMissing(in directory: String = "/sys/class/hidraw") -> Bool {
    do throws(SystemError) {
      let names = try Directory(path: directory).names()
      for name in names {
        // The entry and `device` are symbolic links.
        let device = try Directory(path: "\(directory)/\(name)/device/.")
        let descriptor = try device.openForReading("report_descriptor").readAll(limit: mostBytes)
        if isSecurityKey(descriptor) { return false }
      }
      return !names.isEmpty
    } catch {
      return false
    }
  }

  /// Whether a report descriptor has the usage of a security key (HID 1.11, section 6.2.2).
  static func isSecurityKey(_ descriptor: [UInt8]) -> Bool {
    var rest = descriptor[...]
    var page: UInt32 = 0
    while let prefix = rest.popFirst() {
      // A long item: the size of its data, and its tag.
      if prefix == 0xfe {
        guard let size = rest.popFirst() else { return false }
        rest = rest.dropFirst(Int(size) + 1)
        continue
      }
      let size = [0, 1, 2, 4][Int(prefix & 3)]
      let data = rest.prefix(size)
      guard data.count == size else { return false }
      rest = rest.dropFirst(size)
      let value = data.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      switch prefix & 0xfc {
      // Usage Page, and Usage. Four bytes of a usage have its page.
      case 0x04: page = value
      case 0x08: if (size == 4 ? value : page << 16 | value) == usage { return true }
      default: break
      }
    }
    return false
  }
}
