internal import System

/// The uids that processes can have without being a person of this machine: subordinate ones
/// (subuid(5)), and those that containers get.
///
/// useradd(8) gives each user 65,536 subordinate uids. One process in a user namespace can connect
/// under each of them: a limit that counts uids is then none.
struct SubordinateRanges: Sendable {
  /// The most bytes of the file that are read: 40,000 lines.
  private static let mostBytes = 1 << 20
  /// systemd's ranges for containers and for foreign files (systemd, UIDS-GIDS).
  ///
  /// A directory service may have put people there as well.
  private static let containers = [524_288...UInt32(1_879_048_191), 2_147_352_576...2_147_418_111]

  /// One line of the file.
  private struct Range {
    let owner: [UInt8]
    let users: ClosedRange<UInt32>
  }

  /// Ranges that a user other than root may act under, by their first uid.
  private let ofUsers: [Range]
  /// For each of them: the last uid of it and of all before it.
  private let reach: [UInt32]
  /// Ranges that only root gives out.
  private let ofRoot: [Range]

  /// Reads the text of /etc/subuid; a line that makes no sense counts for nothing.
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

  /// Reads /etc/subuid; no file is no ranges.
  static func read() -> SubordinateRanges {
    let text = try? Directory(path: "/etc").openForReading("subuid").readAll(limit: mostBytes)
    return SubordinateRanges(text ?? [])
  }

  /// Whether another user may act under this uid.
  func isSubordinate(_ user: UInt32) -> Bool { !ranges(of: user).isEmpty }

  /// Whether a range of this uid alone may be its own user's.
  ///
  /// Some guides for containers have such a line. `isSubordinate(_:named:)` tells.
  func mayBeOwn(_ user: UInt32) -> Bool {
    ranges(of: user).allSatisfy { $0.users.count == 1 }
  }

  /// Whether another user than the one of this name may act under this uid.
  func isSubordinate(_ user: UInt32, named name: String) -> Bool {
    ranges(of: user).contains { range in
      !range.owner.elementsEqual(name.utf8) && !range.owner.elementsEqual("\(user)".utf8)
    }
  }

  /// Whether a container may run processes under this uid, though no other user can.
  func isForContainers(_ user: UInt32) -> Bool {
    Self.containers.contains { $0.contains(user) } || ofRoot.contains { $0.users.contains(user) }
  }

  private func ranges(of user: UInt32) -> [Range] {
    // How many begin at this uid or before it.
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

  /// `owner:first:count`.
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
