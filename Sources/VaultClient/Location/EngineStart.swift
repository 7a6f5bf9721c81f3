internal import Glibc
internal import System

/// One start of the private engine, up to the moment when it listens.
///
/// The engine gets the argument `--private`, the working directory /, a session of its own and a
/// fixed environment. Its descriptors are 0 to 2 on /dev/null, 3 on the state directory, and 4 on
/// the writing end of a pipe. When it listens, it writes `L` into the pipe. If it cannot listen, it
/// writes one line: `U` if the vault is not safe to use, else `E`, then the reason and, after a
/// tab, the remedy. If it closes the pipe without a byte, it lost a race: another engine has the
/// vault.
struct EngineStart {
  /// How many bytes of memory the engine needs, the stacks of its threads included (RLIMIT_AS,
  /// RLIMIT_DATA).
  static let leastMemory: Int64 = 256 << 20
  /// How many bytes of stack it needs (RLIMIT_STACK).
  static let leastStack: Int64 = 1 << 20
  /// The most bytes of a reason that are read.
  static let maximumReason = 4096

  /// The engine's program: beside the running program, or in its installed location.
  static func program() throws(VaultClientError) -> InstalledProgram {
    do { return try InstalledProgram(forApp: "thumblatchd") } catch {
      switch error {
      case .missing(_, let places): throw .engineMissing(places: places)
      case .unsafe(let path, let reason): throw .engineUnsafe(path: path, reason: reason)
      }
    }
  }

  /// The message of the pipe.
  enum Outcome: Equatable {
    case listening
    case lostTheRace
  }

  /// Starts the program and waits for its byte until `deadline`.
  static func run(
    _ program: InstalledProgram,
    state: borrowing Directory,
    deadline: BootInstant,
    interrupt: Int32?
  ) throws(VaultClientError) -> Outcome {
    let reading = try start(program, state: state)
    return try report(from: reading, deadline: deadline, interrupt: interrupt)
  }

  /// Starts the program.
  ///
  /// The returned descriptor carries its message.
  private static func start(
    _ program: InstalledProgram,
    state: borrowing Directory
  ) throws(VaultClientError) -> Descriptor {
    // With less memory, the engine ends or hangs before it can report the reason.
    for limit in [ResourceLimit.addresses, .data] where (limit.value ?? .max) < leastMemory {
      throw .engineFailed(
        reason: "it needs \(leastMemory >> 20) MiB of memory, and \(limit.sentence):"
          + " \(limit.remedy)"
      )
    }
    guard ResourceLimit.stack.value ?? .max >= leastStack else {
      throw .engineFailed(
        reason: "it needs \(leastStack >> 20) MiB of stack, and \(ResourceLimit.stack.sentence):"
          + " \(ResourceLimit.stack.remedy)"
      )
    }
    do {
      let (first, second) = try UnixSocket.pair()
      let reading = Descriptor(owning: first)
      let writing = Descriptor(owning: second)
      try ChildProcess.startDetached(
        path: program.path,
        arguments: ["--private"],
        environment: InstalledProgram.environment,
        descriptors: [-1, -1, -1, state.descriptor.number, writing.number]
      )
      return reading
    } catch { throw .system(error) }
  }

  /// Reads the pipe: `L`, `U` or `E` with a reason, or the end.
  static func report(
    from pipe: borrowing Descriptor,
    deadline: BootInstant,
    interrupt: Int32?
  ) throws(VaultClientError) -> Outcome {
    var bytes: [UInt8] = []
    while true {
      let isReadable = try Connection.wait(for: pipe.number, interrupt: interrupt, until: deadline)
      guard isReadable else {
        throw .engineFailed(reason: "it did not report that it is listening")
      }
      let chunk = try read(from: pipe, atMost: maximumReason + 1 - bytes.count)
      bytes += chunk
      if bytes.first == UInt8(ascii: "L") { return .listening }
      let ended = chunk.isEmpty || bytes.count > maximumReason
      if bytes.isEmpty { return .lostTheRace }
      guard ended || bytes.contains(UInt8(ascii: "\n")) else { continue }
      let line = bytes.dropFirst().prefix { $0 != UInt8(ascii: "\n") }
      let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1).map {
        String(decoding: $0, as: UTF8.self)
      }
      let remedy = parts.count > 1 ? parts[1] : nil
      switch bytes.first {
      case UInt8(ascii: "U"): throw .unsafeVault(reason: parts.first ?? "", remedy: remedy)
      case UInt8(ascii: "E"): throw .engineFailed(reason: parts.joined(separator: "; "))
      default: throw .engineFailed(reason: "its report was unexpected")
      }
    }
  }

  private static func read(
    from pipe: borrowing Descriptor,
    atMost count: Int
  ) throws(VaultClientError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: max(1, count))
    let result: Result<Int, SystemError> = unsafe buffer.withUnsafeMutableBytes { space in
      Result { () throws(SystemError) in try unsafe pipe.read(into: space) }
    }
    do { return Array(buffer.prefix(try result.get())) } catch {
      // If the other end of a socket pair is closed with unread bytes, read(2) returns ECONNRESET
      // and not the end.
      if error.code == ECONNRESET { return [] }
      throw .system(error)
    }
  }
}
