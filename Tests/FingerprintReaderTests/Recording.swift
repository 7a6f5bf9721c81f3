import Glibc
import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing

/// One of libfprint's recordings of real readers that plain libfprint replays on this machine
/// (`Tests/Readers`).
struct Recording: Sendable, CustomTestStringConvertible {
  let name: String
  /// The recording itself.
  private let directory: String
  /// The results of the control run.
  private let control: String
  private let facts: [String: String]

  var testDescription: String { name }

  /// The recorded steps between open and close, for a reader that stores prints.
  var steps: String? { facts["steps"] }
  /// The recorded finger.
  var finger: String { facts["finger"] ?? "right-index" }
  /// The verdict of a check.
  var verdict: HelperCheckEvent {
    steps != nil || facts["matches"] == "true" ? .matched(finger: finger) : .notMatched
  }
  /// How the finger is put on the reader, by plain libfprint; `nil` for a reader that stores
  /// prints.
  var scan: ScanType? { facts["scan"].flatMap { ScanType(rawValue: $0) } }
  /// Whether it is a USB device.
  ///
  /// Others are not claimed, and cannot be unplugged.
  var isUSB: Bool { name != "elanspi" }

  /// Whether libfprint itself ends the process if the reader is unplugged while it is armed.
  var crashesUnplugged: Bool { facts["crashes"] == "unplugged" }

  static let all = loaded.recordings
  /// The recordings that plain libfprint does not replay here, and why.
  static let notPlayed = loaded.notPlayed
  static let chips = all.filter { $0.steps != nil }
  static let onUSB = all.filter(\.isUSB)
  static let unpluggable = onUSB.filter { !$0.crashesUnplugged }
  /// The library that is loaded before a program (`Tests/Readers/steps.c`).
  static let library = loaded.control + "/steps.so"

  private static let loaded: (recordings: [Recording], notPlayed: [String], control: String) = {
    do {
      let control = try run(BuiltPrograms.sourceDirectory + "/Tests/Readers/recordings")
      let directory = try Directory(path: control)
      let parent = control.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      let names = try directory.names().filter { $0.hasSuffix(".facts") }.sorted()
      let recordings = try names.map { file in
        let name = String(file.dropLast(".facts".count))
        var facts: [String: String] = [:]
        for line in try text(of: file, in: directory).split(separator: "\n") {
          let parts = line.split(separator: " ", maxSplits: 1)
          facts[String(parts[0])] = String(parts[1])
        }
        return Recording(
          name: name,
          directory: parent + "/" + name,
          control: control,
          facts: facts
        )
      }
      let rest = try text(of: "not-played", in: directory)
      return (recordings, rest.split(separator: "\n").map(String.init), control)
    } catch {
      return ([], ["\(error)"], "")
    }
  }()

  /// Starts the unmodified program with only this reader.
  ///
  /// `settings` are those of `Tests/Readers/steps.c`.
  func program(_ settings: String..., log: String? = nil) throws -> PresenceClient {
    var environment = ["READER_PRELOAD=" + Self.library] + settings
    if let steps { environment.append("READER_STEPS=" + steps) }
    if let finger = facts["finger"] { environment.append("READER_FINGER=" + finger) }
    if let log { environment.append("READER_LOG=" + log) }
    let replay = BuiltPrograms.sourceDirectory + "/Tests/Readers/replay.py"
    return try PresenceClient(
      BuiltPrograms.path("thumblatch-presence"),
      environment: environment,
      launcher: ["/usr/bin/python3", replay, directory]
    )
  }

  /// A print of the recorded finger, by a reader of images.
  func print() throws -> SharedSecret {
    let file = try Directory(path: control).openForReading(name + ".print")
    return SharedSecret(try SecretBytes(copying: try file.readAll(limit: 65536)))
  }

  private static func text(of name: String, in directory: borrowing Directory) throws -> String {
    String(decoding: try directory.openForReading(name).readAll(limit: 65536), as: UTF8.self)
  }

  private static func run(_ script: String) throws -> String {
    let (ours, theirs) = try UnixSocket.pair()
    let near = Descriptor(owning: ours)
    let child: ChildProcess
    do {
      let far = Descriptor(owning: theirs)
      let names = ["HOME", "PATH", "XDG_CACHE_HOME", "http_proxy", "https_proxy"]
      child = try ChildProcess(
        path: script,
        arguments: [],
        environment: names.compactMap { name in
          ThisProcess.environment(name).map { "\(name)=\($0)" }
        },
        descriptors: [-1, far.number, 2]
      )
    }
    let output = try near.readAll(limit: 65536)
    guard try child.wait() == .exited(0) else {
      throw SystemError("recordings", code: EIO, subject: script)
    }
    return String(decoding: output.dropLast(), as: UTF8.self)
  }
}

extension PresenceClient {
  /// Enrolls a finger as far as the recording goes.
  ///
  /// Returns the print of a reader that stores it, and the number of touches.
  func enrollRecorded(
    _ recording: Recording,
    keep: Bool = true
  ) throws -> (print: SharedSecret?, touches: Int) {
    let call = HelperEnrollCall(finger: recording.finger, timeout: 60_000, keep: keep)
    try send(call, more: true)
    var touches = 0
    while true {
      let reply = try next(HelperEnrollCall.self)
      switch reply.event {
      case .ready, .waiting, .retry: continue
      case .stage:
        touches = reply.stage
        // Only one image is recorded.
        if recording.steps == nil { return (nil, touches) }
      case .done(let print, _, _):
        if keep { _ = try self.call(HelperKeepCall()) }
        return (print, touches)
      case .removed, .failed:
        Issue.record("\(recording.name): \(reply.event)")
        throw Closed()
      }
    }
  }

  /// The verdict of a check, or its failure.
  func verdict(_ print: SharedSecret, of recording: Recording) throws -> HelperCheckEvent {
    _ = try call(LoadPrintCall(finger: recording.finger, print: print))
    try send(HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000), more: true)
    while true {
      switch try event() {
      case .ready, .retry: continue
      case let last: return last
      }
    }
  }
}
