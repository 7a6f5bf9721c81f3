import Glibc
import System
import TestSupport
import Testing
import VaultInterface

@testable import VaultClient

struct VaultLocationTests {
  /// A directory of one test, removed with its contents.
  private final class Scratch {
    private let directory: ScratchDirectory
    var path: String { directory.path }

    init() throws {
      directory = try ScratchDirectory()
    }

    func mode(_ mode: UInt32) {
      #expect(unsafe chmod(path, mode) == 0)
    }
  }

  private func location(_ environment: [String: String]) throws -> String {
    try StateLocation(environment: { environment[$0] }).path
  }

  @Test
  func theStateDirectoryIsFoundInTheEnvironment() throws {
    #expect(try location(["HOME": "/h"]) == "/h/.local/state/thumblatch")
    #expect(try location(["HOME": "/h", "XDG_STATE_HOME": "/s"]) == "/s/thumblatch")
    #expect(
      try location(["HOME": "/h", "XDG_STATE_HOME": "s"]) == "/h/.local/state/thumblatch"
    )
    #expect(try location(["HOME": "/h", "THUMBLATCH_STATE_DIR": "/t"]) == "/t")
    #expect(try location(["HOME": "/h", "THUMBLATCH_STATE_DIR": ""]).hasPrefix("/h"))
    #expect(throws: VaultClientError.self) { try location(["THUMBLATCH_STATE_DIR": "t"]) }
    #expect(throws: VaultClientError.self) { try location(["HOME": "h"]) }
    // getenv(3) gave bytes that are not UTF-8.
    #expect(throws: VaultClientError.self) { try location(["THUMBLATCH_STATE_DIR": "/\u{FFFD}"]) }
    #expect(throws: VaultClientError.self) { try location([:]) }
  }

  @Test
  func theStateDirectoryIsMadeOnlyForItsOwner() throws {
    let scratch = try Scratch()
    let state = try StateLocation(environment: { _ in scratch.path + "/new" }).open()
    #expect(try state.descriptor.status().mode == 0o700)
  }

  @Test(arguments: [UInt32(0o750), 0o701, 0o770, 0o777])
  func aStateDirectoryThatOthersMayEnterIsRefused(_ mode: UInt32) throws {
    let scratch = try Scratch()
    scratch.mode(mode)
    let location = try StateLocation(environment: { _ in scratch.path })
    do {
      _ = try location.open()
      Issue.record("it was opened")
    } catch {
      #expect(error.remedy == "chmod 700 \(scratch.path)")
    }
  }

  @Test
  func aStateDirectoryThatIsALinkIsRefused() throws {
    let scratch = try Scratch()
    #expect(unsafe symlink("/tmp", scratch.path + "/link") == 0)
    let location = try StateLocation(environment: { _ in scratch.path + "/link" })
    #expect(throws: VaultClientError.self) { _ = try location.open() }
  }

  @Test(arguments: ["/proc/nothing", "/tmp/" + String(repeating: "x", count: 300)])
  func aStateDirectoryThatCannotBeMadeIsNoBug(_ path: String) throws {
    do {
      _ = try StateLocation(environment: { _ in path }).open()
      Issue.record("it was opened")
    } catch {
      guard case .unsafeDirectory(path, _, _) = error else { throw error }
      #expect("\(error)".hasPrefix("\(path) cannot be used: mkdir "))
      // The directory has no owner, because it does not exist.
      #expect(error.remedy == "use a directory of your own: THUMBLATCH_STATE_DIR=...")
    }
  }

  private func report(_ text: String) throws -> EngineStart.Outcome {
    let (reading, writing) = try UnixSocket.pair()
    let pipe = Descriptor(owning: reading)
    try Descriptor(owning: writing).write(text)
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    return try EngineStart.report(from: pipe, deadline: deadline, interrupt: nil)
  }

  @Test
  func thePipeSaysHowTheStartWent() throws {
    #expect(try report("L") == .listening)
    #expect(try report("") == .lostTheRace)
    for (text, reason) in [("Eno room\nmore", "no room"), ("Eno room", "no room"), ("E", "")] {
      do {
        _ = try report(text)
        Issue.record("it started")
      } catch VaultClientError.engineFailed(let told) {
        #expect(told == reason)
      }
    }
    do {
      _ = try report("Uvault.db is damaged\trestore it\n")
      Issue.record("it started")
    } catch VaultClientError.unsafeVault(let told, let remedy) {
      #expect(told == "vault.db is damaged" && remedy == "restore it")
    }
    #expect(throws: VaultClientError.self) { try report("X") }
    #expect(throws: VaultClientError.self) { try report("E" + String(repeating: "x", count: 9000)) }
  }

  @Test
  func theLoserOfTwoConnectsToTheWinner() throws {
    let scratch = try Scratch()
    let state = try Directory(path: scratch.path)
    var starts = 0
    var winner: Int32 = -1
    let connection = try VaultLocation.connectPrivately(state: state, interrupt: nil) {
      state,
      _ throws(VaultClientError) in
      starts += 1
      // The other engine listens only after this one's third attempt.
      guard starts == 3 else { return .lostTheRace }
      do throws(SystemError) {
        winner = try UnixSocket.listen(in: state, name: "engine").relinquish()
      } catch { throw .system(error) }
      return .lostTheRace
    }
    defer { close(winner) }
    #expect(starts == 3)
    #expect(try connection.peer().user == ThisProcess.user)
  }

  @Test
  func aStaleSocketLeadsToANewEngineAndAFailureIsTold() throws {
    let scratch = try Scratch()
    let state = try Directory(path: scratch.path)
    _ = try UnixSocket.listen(in: state, name: "engine")
    var starts = 0
    do {
      _ = try VaultLocation.connectPrivately(state: state, interrupt: nil) {
        _,
        _ throws(VaultClientError) in
        starts += 1
        throw .engineFailed(reason: "the disk is full")
      }
      Issue.record("it connected")
    } catch VaultClientError.engineFailed(let reason) {
      #expect(reason == "the disk is full")
    }
    #expect(starts == 1)
  }

  @Test
  func theEnvironmentChoosesTheVaultUnlessPrivateIsSaid() throws {
    let environment = ["THUMBLATCH_SOCKET": "/run/user/1/vault"]
    #expect(
      try VaultLocation(privately: false, environment: { environment[$0] })
        == .socket(path: "/run/user/1/vault")
    )
    #expect(
      try VaultLocation(privately: true, environment: { environment[$0] }) == .privateVault
    )
    #expect(throws: VaultClientError.self) {
      try VaultLocation(privately: false, environment: { _ in "relative" })
    }
  }

  @Test
  func aNamedSocketThatDoesNotAnswerIsNoReasonToStartAnything() throws {
    let scratch = try Scratch()
    let place = VaultLocation.socket(path: scratch.path + "/gone")
    do {
      _ = try place.connect(environment: { _ in nil })
      Issue.record("it connected")
    } catch .unreachable {
      #expect(try Directory(path: scratch.path).names().isEmpty)
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test
  func anUnrequestedReplyIsRefused() throws {
    let (client, server) = try UnixSocket.pair()
    let engine = Descriptor(owning: server)
    let connection = try Connection(Descriptor(owning: client))
    try engine.write("{}\0")
    #expect(throws: VaultClientError.self) {
      try connection.next(deadline: BootInstant.now.advanced(bySeconds: 60))
    }
  }

  @Test
  func aMessageWithoutEndIsRefusedBeforeItFillsTheMemory() throws {
    let (client, server) = try UnixSocket.pair()
    let engine = Descriptor(owning: server)
    try engine.setNonblocking(true)
    let connection = try Connection(Descriptor(owning: client))
    try connection.send(GetStatusCall())
    let chunk = [UInt8](repeating: 32, count: 16 * 1024)
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while BootInstant.now < deadline {
      _ = try? engine.write(chunk)
      do {
        _ = try connection.next(deadline: BootInstant.now)
      } catch .malformed {
        return
      } catch {
        Issue.record("\(error)")
        return
      }
    }
    Issue.record("it was never refused")
  }

  @Test
  func anEngineThatDoesNotAnswerTimesOut() throws {
    let (client, server) = try UnixSocket.pair()
    let engine = Descriptor(owning: server)
    let connection = try Connection(Descriptor(owning: client))
    do {
      _ = try connection.call(GetStatusCall(), within: 0)
      Issue.record("it answered")
    } catch .timedOut {
    } catch { Issue.record("\(error)") }
    _ = engine.number
  }
}
