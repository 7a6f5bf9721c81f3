internal import FingerprintReader
internal import SecretMemory
internal import System

/// The prints that fprintd keeps, one file for each finger: `USER/DRIVER/DEVICE/FINGER`.
///
/// They belong to the desktop, so they are only read, never written or deleted. A user that could
/// put a file there would pass every check. So every directory and file in the path must belong to
/// root and be writable only by root.
struct DesktopPrints {
  private static let mostReaders = 16
  private static let mostPrints = 64

  let path: String

  /// Every trusted print of a user; the others are left out.
  func prints(of user: String) -> [StoredPrint] {
    var prints: [StoredPrint] = []
    guard Self.isName(user), let base = try? Directory(path: path), Self.isTrusted(base),
      let own = Self.directory(user, in: base)
    else { return [] }
    for driver in Self.names(in: own) {
      guard let ofDriver = Self.directory(driver, in: own) else { continue }
      for device in Self.names(in: ofDriver) {
        guard let ofDevice = Self.directory(device, in: ofDriver) else { continue }
        for number in Self.names(in: ofDevice) where prints.count < Self.mostPrints {
          guard let finger = Self.finger(number),
            let print = Self.print(number, in: ofDevice, finger),
            print.user == user, print.driver == driver, print.device == device
          else { continue }
          prints.append(print)
        }
      }
    }
    return prints
  }

  /// The finger of a file name, which is its number in lower-case hexadecimal.
  private static func finger(_ name: String) -> Finger? {
    Finger.allCases.first { String($0.rawValue, radix: 16) == name }
  }

  private static func print(
    _ name: String,
    in directory: borrowing Directory,
    _ finger: Finger
  ) -> StoredPrint? {
    guard let file = try? directory.openForReading(name), let status = try? file.status(),
      status.kind == .regular, status.owner == 0, status.mode & 0o022 == 0, status.links == 1,
      (1...Int64(StoredPrint.maximumCount)).contains(status.size)
    else { return nil }
    let bytes = unsafe try? SecretBytes(capacity: Int(status.size)) { room in
      (try? unsafe file.read(into: room, at: 0)) ?? 0
    }
    guard let bytes, bytes.count == Int(status.size) else { return nil }
    return try? StoredPrint(SharedSecret(bytes), finger: finger)
  }

  private static func directory(_ name: String, in parent: borrowing Directory) -> Directory? {
    guard isName(name), let directory = try? parent.openDirectory(name), isTrusted(directory)
    else { return nil }
    return directory
  }

  private static func isTrusted(_ directory: borrowing Directory) -> Bool {
    guard let status = try? directory.descriptor.status() else { return false }
    return status.kind == .directory && status.owner == 0 && status.mode & 0o022 == 0
  }

  private static func names(in directory: borrowing Directory) -> [String] {
    ((try? directory.names()) ?? []).sorted().prefix(mostReaders).map(\.self)
  }

  /// Whether a text is the name of a directory entry, without any path.
  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
  }
}
