/// The systemd unit of a process, read from the kernel's control groups (cgroups(7)).
///
/// A process cannot leave its unit by itself. In a part that is delegated to a user, such as that
/// of the user's own manager, any program of that user can move it.
package struct ControlGroup: Sendable, Equatable {
  private static let longest = 64 * 1024

  /// The path down to the unit, such as `/system.slice/cron.service`.
  package let unit: String
  /// The user whose manager (`user@UID.service`) the unit belongs to; `nil` if it belongs to none.
  package let manager: UInt32?

  /// Whether the unit is below the slice of users' sessions and managers (systemd.special(7)).
  package var isInUserSlice: Bool { unit.hasPrefix("/user.slice/") }

  /// Reads /proc/PID/cgroup; `nil` if the process does not exist or is in no unit.
  package init?(process: Int32) {
    guard let directory = try? Directory(path: "/proc/\(process)"),
      let file = try? directory.openForReading("cgroup"),
      let bytes = try? file.readAll(limit: Self.longest),
      let found = Self.parse(String(decoding: bytes, as: UTF8.self))
    else { return nil }
    self = found
  }

  private init(unit: String, manager: UInt32?) {
    self.unit = unit
    self.manager = manager
  }

  /// Parses lines of the form `ID:CONTROLLERS:PATH`.
  ///
  /// systemd's own hierarchy has number 0 and no controller. If there are several hierarchies, it
  /// is called `name=systemd`.
  package static func parse(_ text: String) -> ControlGroup? {
    var path: Substring?
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[2].hasPrefix("/") else { continue }
      if fields[1] == "name=systemd" || fields[0] == "0" && fields[1].isEmpty && path == nil {
        path = fields[2]
      }
    }
    return path.flatMap { unit(of: $0) }
  }

  /// The unit is the first part of the path that is not a slice; inside a user's manager, its own
  /// unit.
  ///
  /// The unit itself made the deeper parts and may choose their names.
  private static func unit(of path: Substring) -> ControlGroup? {
    let escaped = path.split(separator: "/")
    // The path is outside this control group namespace. The unit may name a part of its own `_..`.
    guard !escaped.contains("..") else { return nil }
    let parts = escaped.map(unescaped)
    guard let end = endOfUnit(in: parts[...]) else { return nil }
    guard let user = managedUser(parts[end - 1]) else {
      return ControlGroup(unit: joined(parts[..<end]), manager: nil)
    }
    let inner = endOfUnit(in: parts[end...]) ?? end
    return ControlGroup(unit: joined(parts[..<inner]), manager: user)
  }

  /// A part of the path without the `_` that systemd puts before it.
  ///
  /// systemd escapes a name that the kernel could give to a file in that directory, such as
  /// `memory.service`, and a name that begins with `_`. (systemd's CONTROL_GROUP_INTERFACE)
  private static func unescaped(_ part: Substring) -> Substring {
    part.hasPrefix("_") ? part.dropFirst() : part
  }

  private static func endOfUnit(in parts: ArraySlice<Substring>) -> Int? {
    guard let index = parts.firstIndex(where: { !$0.hasSuffix(".slice") }),
      parts[index].hasSuffix(".service") || parts[index].hasSuffix(".scope")
    else { return nil }
    return index + 1
  }

  private static func managedUser(_ unit: Substring) -> UInt32? {
    guard unit.hasPrefix("user@"), unit.hasSuffix(".service") else { return nil }
    return UInt32(unit.dropFirst("user@".count).dropLast(".service".count))
  }

  private static func joined(_ parts: ArraySlice<Substring>) -> String {
    parts.reduce(into: "") { $0 += "/" + $1 }
  }
}
