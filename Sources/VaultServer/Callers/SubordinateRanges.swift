internal import System

/// The uids that processes can have without being a person of this machine: subordinate uids
/// (subuid(5)), and the uids of containers.
///
/// useradd(8) gives each user 65,536 subordinate uids. One process in a user namespace can connect
/// under each of them, and so evade a limit for each uid.
struct SubordinateRanges: Sendable {
  /// The most bytes of the file that are read: 40,000 lines.
  private static let mostBytes = 1 << 20
  /// systemd's ranges for containers and for foreign files (systemd, UIDS-GIDS).
  ///
  /// A directory service may have given such uids to people, too.
  private static let containers = [524_288...UInt32(1_879_048_191), 2_147_352_576...2_147_418_111]

  /// One line of the file.
  private struct Range {
    let owner: [UInt8]
    let users: ClosedRange<UInt32>
  }

  /// Ranges that a user other than root may act under, sorted by their first uid.
  private let ofUsers: [Range]
  /// For each of these ranges: the last uid of it and of all earlier ranges.
  private let reach: [UInt32]
  /// Ranges that only root assigns.
  private let ofRoot: [Range]

  /// Reads the text of /etc/subuid.
  ///
  /// Malformed lines are ignored.
  init(_ text: [UInt8] = []) {
    var ofUsers: [Range] = []
    var ofRoot: [Range] = []
    for line in text.prefix(Self.mostBytes).split(separator: UInt8(ascii: "\n")) {
      guard let range = Self.range(line) else { continue }
      if Self.isRoot(range.owner) { ofRoot.append(range) } else { ofUsers.append(range) }
    }
    ofUsers.sort { $0.users.lowerBound < $1.users.lowerBound }
    var last: UInt32 = 0
    reach = ofUsers.map { range in
      last = max(last, range.users.upperBound)
      return last
    }
    self.ofUsers = ofUsers
    self.ofRoot = ofRoot
  }

  /// Reads /etc/subuid.
  ///
  /// Without the file there are no ranges.
  static func read() -> SubordinateRanges {
    let text = try? Directory(path: "/etc").openForReading("subuid").readAll(limit: mostBytes)
    return SubordinateRanges(text ?? [])
  }

  /// Whether another user may act under this uid.
  func isSubordinate(_ user: UInt32) -> Bool { !ranges(of: user).isEmpty }

  /// Whether a range that has only this uid may belong to its own user.
  ///
  /// Some guides for containers recommend such a line. `isSubordinate(_:named:)` decides.
  func mayBeOwn(_ user: UInt32) -> Bool {
    ranges(of: user).allSatisfy { $0.users.count == 1 }
  }

  /// Whether a user other than the one of this name may act under this uid.
  func isSubordinate(_ user: UInt32, named name: String) -> Bool {
    ranges(of: user).contains { range in
      !range.owner.elementsEqual(name.utf8) && !range.owner.elementsEqual("\(user)".utf8)
    }
  }

  /// Whether a container may run processes under this uid although no other user can.
  func isForContainers(_ user: UInt32) -> Bool {
    Self.containers.contains { $0.contains(user) } || ofRoot.contains { $0.users.contains(user) }
  }

  private func ranges(of user: UInt32) -> [Range] {
    // The number of ranges that begin at or before this uid.
    var low = 0
    var high = ofUsers.count
    while low < high {
      let middle = (low + high) / 2
      if ofUsers[middle].users.lowerBound <= user { low = middle + 1 } else { high = middle }
    }
    var found: [Range] = []
    while low > 0, reach[low - 1] >= user {
      low -= 1
      if ofUsers[low].users.contains(user) { found.append(ofUsers[low]) }
    }
    return found
  }

  /// Parses a line `owner:first:count`.
  private static func range(_ line: ArraySlice<UInt8>) -> Range? {
    let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard fields.count == 3, !fields[0].isEmpty, let first = number(fields[1]),
      let count = number(fields[2]), count > 0, first + count - 1 <= UInt64(UInt32.max)
    else { return nil }
    return Range(owner: Array(fields[0]), users: UInt32(first)...UInt32(first + count - 1))
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard (1...10).contains(digits.count),
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return digits.reduce(0) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
  }

  private static func isRoot(_ owner: [UInt8]) -> Bool {
    owner.elementsEqual("root".utf8) || owner.elementsEqual("0".utf8)
  }
}
