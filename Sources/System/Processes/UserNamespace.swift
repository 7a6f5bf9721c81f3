/// How the kernel shows this process the users of the machine (user_namespaces(7)).
///
/// A sandbox such as bubblewrap runs its programs in a user namespace that maps their own user
/// only. The kernel shows each other user as the overflow uid there, root among them.
struct UserNamespace: Sendable {
  /// The number that represents each user without a mapping; `nil` if all users are mapped.
  let hiddenUser: UInt32?
  /// Why this number may not stand for root; `nil` if it does.
  let doubt: HiddenOwner?

  private static let defaultOverflow: UInt32 = 65_534
  /// statfs(2), PROC_SUPER_MAGIC.
  private static let procFileSystem: UInt32 = 0x9fa0
  /// A map has at most 340 lines.
  private static let longestMap = 64 * 1024

  /// The namespace of this process now.
  static var current: UserNamespace {
    // Not by the number of this process, which is another's in the /proc of another pid namespace.
    guard let own = procDirectory("/proc/self/."),
      let map = try? UserMap(own.openForReading("uid_map").readAll(limit: longestMap))
    else { return UserNamespace(hiddenUser: defaultOverflow, doubt: .noProc) }
    if map.isWhole { return UserNamespace(hiddenUser: nil, doubt: nil) }
    guard let kernel = procDirectory("/proc/sys/kernel"),
      let file = try? kernel.openForReading("overflowuid"),
      // The kernel makes each file there as the root of the machine (GLOBAL_ROOT_UID).
      let root = try? file.status().owner,
      let text = try? file.readAll(limit: 64),
      let hidden = UInt32(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    else { return UserNamespace(hiddenUser: defaultOverflow, doubt: .noProc) }
    // A mapped user would be shown by the same number.
    if map.contains(hidden) { return UserNamespace(hiddenUser: hidden, doubt: .mapped(hidden)) }
    return UserNamespace(hiddenUser: hidden, doubt: root == hidden ? nil : .notRoot)
  }

  /// A directory of proc(5), and of no other file system in its place.
  private static func procDirectory(_ path: String) -> Directory? {
    guard let directory = try? Directory(path: path),
      (try? directory.fileSystemType()) == procFileSystem
    else { return nil }
    return directory
  }
}

/// The user ids that a user namespace maps (user_namespaces(7), /proc/PID/uid_map).
struct UserMap: Sendable {
  private let lines: [(first: UInt32, outside: UInt32, count: UInt32)]

  /// Parses a map; `nil` if it is not one.
  ///
  /// A namespace whose map was not written yet has an empty one.
  init?(_ bytes: [UInt8]) {
    var lines: [(UInt32, UInt32, UInt32)] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let numbers = line.split(separator: UInt8(ascii: " ")).map {
        UInt32(String(decoding: $0, as: UTF8.self))
      }
      guard numbers.count == 3, let first = numbers[0], let outside = numbers[1],
        let count = numbers[2]
      else { return nil }
      lines.append((first, outside, count))
    }
    self.lines = lines
  }

  /// Whether each user has its own number, as in the first namespace.
  var isWhole: Bool {
    lines.count == 1 && lines[0] == (0, 0, .max)
  }

  /// Whether a user inside the namespace has this number.
  func contains(_ user: UInt32) -> Bool {
    lines.contains { user >= $0.first && user - $0.first < $0.count }
  }
}
