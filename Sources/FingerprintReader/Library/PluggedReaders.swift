internal import CFprint
internal import Glibc

/// A fingerprint reader that is plugged in.
package struct PluggedReader: Sendable, Equatable {
  /// The device's own name, without control characters; empty if it has none.
  package let name: String
  /// The driver that libfprint's hardware database names.
  package let driver: String
  /// Whether a program has claimed it.
  package let isInUse: Bool
  /// Whether this process may open it.
  package let mayBeOpened: Bool
}

/// Finds plugged-in readers in sysfs and in the hardware database of libfprint's package.
///
/// It opens no device: opening resets some readers, even those that another program uses.
@safe
struct PluggedReaders {
  /// The USB devices that libfprint knows (hwdb(7)), and their drivers.
  static let database = "/usr/lib/udev/hwdb.d/60-autosuspend-libfprint-2.hwdb"
  private static let devices = "/sys/bus/usb/devices"
  private static let mostDevices = 1024

  /// The readers found; `nil` if the system does not show them, such as readers that are not on
  /// USB.
  static func look(_ drivers: AllowedDrivers) -> [PluggedReader]? {
    switch drivers {
    case .hardware: hardware()
    case .virtual: virtual()
    }
  }

  /// Whether readers may exist that are not on USB, which the database does not name.
  static func mayHaveOthers(_ drivers: AllowedDrivers) -> Bool {
    drivers == .hardware && names(in: "/sys/bus/spi/devices")?.isEmpty == false
  }

  private static func hardware() -> [PluggedReader]? {
    guard let text = contents(of: database) else { return nil }
    // A machine without USB has no such directory.
    let names = names(in: devices) ?? []
    let known = drivers(in: text)
    return names.filter { !$0.contains(":") }.compactMap { name in
      let path = devices + "/" + name
      guard let vendor = attribute("idVendor", of: path),
        let product = attribute("idProduct", of: path),
        let driver = known[vendor.uppercased() + ":" + product.uppercased()]
      else { return nil }
      return PluggedReader(
        name: [attribute("manufacturer", of: path), attribute("product", of: path)]
          .compactMap(\.self).joined(separator: " "),
        driver: driver,
        // libusb claims an interface through usbfs, and each libfprint driver claims one when it
        // opens.
        isInUse: names.contains { $0.hasPrefix(name + ":") && isClaimed(devices + "/" + $0) },
        mayBeOpened: mayOpen(path)
      )
    }
  }

  /// The virtual readers that the environment names; nothing shows which program uses one.
  private static func virtual() -> [PluggedReader]? {
    let variables = [
      ("FP_VIRTUAL_DEVICE", "virtual_device"),
      ("FP_VIRTUAL_DEVICE_STORAGE", "virtual_device_storage"),
      ("FP_VIRTUAL_IMAGE", "virtual_image"),
    ]
    return variables.compactMap { variable, driver in
      guard let path = unsafe getenv(variable).map({ unsafe String(cString: $0) }), !path.isEmpty
      else { return nil }
      // A virtual reader's socket is made by the program that opens the reader.
      let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
      let mayBeOpened = unsafe access(directory, W_OK | X_OK) == 0
      return PluggedReader(name: "", driver: driver, isInUse: false, mayBeOpened: mayBeOpened)
    }
  }

  /// The driver of each `VENDOR:PRODUCT` in upper-case hexadecimal.
  ///
  /// The database lists entries such as `usb:v27C6p5840*` below a comment that names the driver. It
  /// ends with devices that no driver supports.
  static func drivers(in database: String) -> [String: String] {
    let introduction = "# Supported by libfprint driver "
    var known: [String: String] = [:]
    var driver: String?
    for line in database.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("#") {
        let isNamed = line.hasPrefix(introduction)
        driver = isNamed ? String(line.dropFirst(introduction.count)) : nil
      } else if let driver, line.hasPrefix("usb:v"), line.utf8.count >= 14 {
        let numbers = line.dropFirst(5)
        guard numbers.dropFirst(4).first == "p" else { continue }
        known["\(numbers.prefix(4)):\(numbers.dropFirst(5).prefix(4))"] = driver
      }
    }
    return known
  }

  private static func isClaimed(_ interface: String) -> Bool {
    guard let target = unsafe g_file_read_link(interface + "/driver", nil) else { return false }
    defer { unsafe g_free(target) }
    return unsafe String(cString: target).hasSuffix("/usbfs")
  }

  private static func mayOpen(_ path: String) -> Bool {
    guard let bus = attribute("busnum", of: path).flatMap({ Int($0) }),
      let number = attribute("devnum", of: path).flatMap({ Int($0) })
    else { return false }
    func digits(_ number: Int) -> String {
      String(repeating: "0", count: max(0, 3 - "\(number)".count)) + "\(number)"
    }
    return unsafe access("/dev/bus/usb/\(digits(bus))/\(digits(number))", R_OK | W_OK) == 0
  }

  /// The first line of a sysfs file; `nil` if there is none.
  private static func attribute(_ name: String, of path: String) -> String? {
    contents(of: path + "/" + name)?.split(whereSeparator: \.isNewline).first
      .map { LibraryFault.plain(String($0)) }
  }

  private static func contents(of path: String) -> String? {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: gsize = 0
    guard unsafe g_file_get_contents(path, &bytes, &count, nil) != 0, let bytes = unsafe bytes
    else { return nil }
    defer { unsafe g_free(bytes) }
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
    return unsafe String(decoding: buffer, as: UTF8.self)
  }

  private static func names(in directory: String) -> [String]? {
    guard let entries = unsafe g_dir_open(directory, 0, nil) else { return nil }
    defer { unsafe g_dir_close(entries) }
    var names: [String] = []
    while names.count < mostDevices, let name = unsafe g_dir_read_name(entries) {
      names.append(unsafe String(cString: name))
    }
    return names.sorted()
  }
}
