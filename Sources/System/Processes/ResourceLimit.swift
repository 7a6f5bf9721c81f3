internal import CLinux
internal import Glibc

/// A limit that a process inherits from its starter (getrlimit(2)).
public enum ResourceLimit: Int32, Sendable, CaseIterable {
  /// The number of open files.
  case descriptors
  /// The size of a file that the process writes, in bytes.
  case fileSize
  /// The size of its address space, in bytes.
  case addresses
  /// The number of processes and threads of its user.
  case processes
  /// The size of its private memory, in bytes.
  case data
  /// The size of its stack, in bytes.
  case stack

  /// The current limit of this process; `nil` if there is none.
  public var value: Int64? {
    let value = clinux_limit(rawValue)
    return value < 0 ? nil : value
  }

  /// The name in getrlimit(2).
  public var name: String {
    switch self {
    case .descriptors: "RLIMIT_NOFILE"
    case .fileSize: "RLIMIT_FSIZE"
    case .addresses: "RLIMIT_AS"
    case .processes: "RLIMIT_NPROC"
    case .data: "RLIMIT_DATA"
    case .stack: "RLIMIT_STACK"
    }
  }

  /// The shell command that sets the limit.
  private var option: String {
    switch self {
    case .descriptors: "ulimit -n"
    case .fileSize: "ulimit -f"
    case .addresses: "ulimit -v"
    case .processes: "ulimit -u"
    case .data: "ulimit -d"
    case .stack: "ulimit -s"
    }
  }

  /// A sentence such as `the limit RLIMIT_NOFILE is 16`.
  public var sentence: String {
    value.map { "the limit \(name) is \($0)" } ?? "the limit \(name) is reached"
  }

  /// The remedy for a limit that is too low.
  public var remedy: String {
    "raise \(name) (\(option) in the shell, Limit\(name.dropFirst("RLIMIT_".count))= in a unit), then try"
      + " again; an engine that runs keeps the limits that it was started with"
  }
}

extension SystemError {
  /// The limit of this process that a call has reached; `nil` if it failed for another reason.
  public var limit: ResourceLimit? {
    switch code {
    case EMFILE: .descriptors
    case EFBIG: .fileSize
    // The machine itself can run out of memory and of processes too.
    case ENOMEM: [ResourceLimit.addresses, .data].first { $0.value != nil }
    case EAGAIN where ["pthread_create", "exec", "fork"].contains(call): .processes
    default: nil
    }
  }
}

extension ThisProcess {
  /// Raises the limits on descriptors, file sizes and memory as far as this process may
  /// (setrlimit(2)).
  ///
  /// An engine serves programs of many shells. A limit that one shell sets for its own programs
  /// must not stop the engine.
  ///
  /// - Parameter descriptors: the most descriptors that this process uses.
  /// - Throws: the error of getrlimit(2) or setrlimit(2).
  package static func raiseLimits(descriptors: Int) throws(SystemError) {
    try check(Int(clinux_raise_limits()), "setrlimit")
    _ = try raiseDescriptorLimit(to: descriptors)
  }
}
