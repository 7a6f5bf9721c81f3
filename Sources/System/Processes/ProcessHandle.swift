internal import CLinux
internal import Glibc

/// A process, held so that its number cannot be reused for another one (pidfd_open(2)).
package struct ProcessHandle: ~Copyable, Sendable {
  package let identifier: Int32
  let descriptor: Descriptor

  /// Holds a process that is known to be alive, such as a child before `wait`.
  package init(identifier: Int32) throws(SystemError) {
    self.identifier = identifier
    descriptor = Descriptor(
      owning: Int32(try check(Int(clinux_pidfd_open(identifier)), "pidfd_open"))
    )
  }

  /// Holds the process at the other end of a socket.
  ///
  /// Uses the kernel's own answer (SO_PEERPIDFD) if available. Otherwise it takes the process that
  /// has the recorded number now, if it belongs to the recorded user.
  ///
  /// - Throws: ESRCH if the process has ended; EMFILE and similar errors say nothing about it.
  package init(peerOf socket: borrowing Descriptor, _ peer: PeerCredentials) throws(SystemError) {
    identifier = peer.process
    do throws(SystemError) {
      descriptor = try socket.peerProcess()
    } catch {
      guard error.code == ENOPROTOOPT else { throw error }
      descriptor = try Self.holdingNumber(of: peer)
    }
  }

  /// Holds the process that has a peer's number now, if it belongs to that user.
  ///
  /// The peer may have ended, and its number may belong to another process of the same user.
  package init(numberOf peer: PeerCredentials) throws(SystemError) {
    identifier = peer.process
    descriptor = try Self.holdingNumber(of: peer)
  }

  private static func holdingNumber(of peer: PeerCredentials) throws(SystemError) -> Descriptor {
    let held = try ProcessHandle(identifier: peer.process)
    // The facts belong to the held process, because it is still alive after they were read.
    let directory = try Directory(path: "/proc/\(peer.process)")
    guard try directory.descriptor.status().owner == peer.user, held.isAlive else {
      throw SystemError("pidfd_open", code: ESRCH)
    }
    return try held.descriptor.duplicate()
  }

  /// Whether it has not ended (poll(2): a pidfd is readable once its process has ended).
  package var isAlive: Bool {
    var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) == 0
  }

  /// Waits for the end; false if the time has passed first.
  package func waitForEnd(milliseconds: Int32) -> Bool {
    (try? descriptor.waitReadable(milliseconds: milliseconds)) ?? false
  }
}

extension ChildProcess {
  /// Whether a signal or a debugger has stopped it; see `ProcessFacts`.
  package var isStopped: Bool { ProcessFacts(process: identifier)?.isStopped ?? false }

  /// Waits for the end of a child without reaping it; call waitpid(2) later.
  package func awaitEnd(withinMilliseconds limit: Int32) {
    if let handle = try? ProcessHandle(identifier: identifier) {
      _ = handle.waitForEnd(milliseconds: limit)
    }
  }

  /// Waits for a child that was asked to end, and kills it after the limit.
  package func finish(withinMilliseconds limit: Int32) {
    if let handle = try? ProcessHandle(identifier: identifier),
      !handle.waitForEnd(milliseconds: limit)
    {
      kill()
    }
    _ = try? wait()
  }
}

/// The facts about a process that proc(5) shows to every user.
package struct ProcessFacts: Sendable, Equatable {
  /// The first 15 bytes of the program's name; the program itself can change them.
  package let name: String
  package let parent: Int32
  /// Whether a signal (signal(7), SIGSTOP) or a debugger has stopped it (proc_pid_stat(5), state).
  package let isStopped: Bool
  /// The device number of the controlling terminal; `nil` without one (proc_pid_stat(5), tty_nr).
  package let terminal: Int32?
  /// When it started, in ticks since the boot (proc_pid_stat(5), starttime).
  package let started: UInt64
  /// The effective user id.
  package let user: UInt32

  /// Reads /proc/PID/stat; `nil` if the process does not exist.
  package init?(process: Int32) {
    guard let directory = try? Directory(path: "/proc/\(process)"),
      let status = try? directory.descriptor.status(),
      let file = try? directory.openForReading("stat"),
      let bytes = try? file.readAll(limit: 4096),
      let facts = Self.parse(bytes)
    else { return nil }
    user = status.owner
    name = facts.name
    parent = facts.parent
    isStopped = facts.isStopped
    terminal = facts.terminal
    started = facts.started
  }

  /// Parses the fields.
  ///
  /// The name is in parentheses and may contain some itself, so it ends at the last one.
  package static func parse(
    _ bytes: [UInt8]
  ) -> (name: String, parent: Int32, isStopped: Bool, terminal: Int32?, started: UInt64)? {
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    let fields = bytes[bytes.index(after: close)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 1, let parent = Int32(String(decoding: fields[1], as: UTF8.self)) else {
      return nil
    }
    let terminal = fields.count > 4 ? Int32(String(decoding: fields[4], as: UTF8.self)) : nil
    let name = String(decoding: bytes[(open + 1)..<close], as: UTF8.self)
    let started = fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
    let isStopped = fields[0].first.map { "Tt".utf8.contains($0) } ?? false
    return (name, parent, isStopped, terminal == 0 ? nil : terminal, started ?? 0)
  }
}

extension ProcessFacts {
  /// Whether a process sees all user ids of this machine unmapped (user_namespaces(7),
  /// /proc/PID/uid_map).
  ///
  /// It is then in no container and in no other user namespace that maps fewer ids.
  package static func seesAllUsers(_ process: Int32) -> Bool {
    guard let directory = try? Directory(path: "/proc/\(process)"),
      let map = try? directory.openForReading("uid_map").readAll(limit: 4096)
    else { return false }
    return UserMap(map)?.isWhole ?? false
  }
}
