import Glibc
import System
import TestSupport
import Testing
import TokenFile

@testable import Storage

/// A directory of one test, removed with its owner.
///
/// `path` is for a state directory.
final class Scratch: Sendable {
  private let directory: ScratchDirectory
  var base: String { directory.path }
  var path: String { base + "/vault" }

  init() throws {
    directory = try ScratchDirectory()
  }

  /// Opens the state directory, and makes it if necessary.
  func open() throws -> StateDirectory { try StateDirectory(path: path) }
}

/// Runs a program of the system to its end.
@discardableResult
func run(_ path: String, _ arguments: [String], output: Int32 = -1) throws -> ProcessEnd {
  try ChildProcess(
    path: path,
    arguments: arguments,
    environment: ["PATH=/usr/bin:/bin"],
    descriptors: [-1, output, -1]
  ).wait()
}

let counterCode = [UInt8](repeating: 0x22, count: 32)
let accountID = [UInt8](repeating: 0x11, count: 16)

/// An account as the engine would store it.
func sampleAccount(
  id: [UInt8] = accountID,
  name: String = "me",
  owner: UInt32 = 0,
  generation: Int64 = 1
) -> AccountRow {
  AccountRow(
    id: id,
    name: name,
    owner: owner,
    provider: "dev",
    providerSettings: [1, 2, 3],
    binding: [UInt8](repeating: 2, count: 32),
    subject: "4711",
    email: "me@example.org",
    displayName: "Ünïcode \u{0} Name",
    protection: 1,
    generation: generation,
    sealedRefreshToken: [UInt8](repeating: UInt8(truncatingIfNeeded: generation), count: 3_000),
    state: .signedIn,
    cause: nil,
    createdAt: 1_700_000_000,
    usedAt: 1_700_000_001,
    refreshedAt: nil,
    loginScope: "mail read",
    missingScope: "read"
  )
}

func sampleToken(_ text: String = "access-1") throws -> CachedToken {
  let boot = try BootIdentifier.current()
  return try #require(
    CachedToken(
      token: Array(text.utf8),
      wallExpiry: WallTime(seconds: 4_000_000_000),
      boot: boot,
      bootExpiry: BootInstant(nanoseconds: 1 << 60)
    )
  )
}
