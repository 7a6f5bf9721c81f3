internal import Glibc
public import System

/// The vault to use: the machine's service, or the person's own engine.
public enum VaultLocation: Sendable, Equatable {
  /// The service of the machine, whose server must be root.
  case service
  /// The person's own vault.
  ///
  /// Its engine is started when needed.
  case privateVault
  /// A socket named by THUMBLATCH_SOCKET, whose server must be root or the caller's own user.
  case socket(path: String)

  /// The directory of the service's socket.
  public static let serviceDirectory = "/run/thumblatch"
  /// The service's socket.
  public static let serviceSocket = "io.thumblatch.Vault"
  /// The directory where the engine calls agents, beside its socket.
  private static let agents = "agents"
  /// The private engine's socket, in the state directory.
  public static let engineSocket = "engine"

  private static let startLimit: Int64 = 15
  private static let mostStarts = 8

  /// Decides which vault to use.
  ///
  /// If the service's socket exists in its root-owned directory, the service is used. If the
  /// service then does not answer, the private vault is never used instead. Otherwise an attacker
  /// who can crash the service could force a downgrade.
  public init(
    privately: Bool,
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) throws(VaultClientError) {
    if privately {
      self = .privateVault
    } else if let path = environment("THUMBLATCH_SOCKET"), !path.isEmpty {
      guard path.hasPrefix("/") else { throw .notAbsolute(variable: "THUMBLATCH_SOCKET") }
      self = .socket(path: path)
    } else {
      self = Self.serviceIsInstalled() ? .service : .privateVault
    }
  }

  /// Whether a command for this vault needs `--private`: without it, another vault would be used.
  package func needsOption(
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) -> Bool {
    guard self == .privateVault else { return false }
    return (try? VaultLocation(privately: false, environment: environment)) != self
  }

  /// The directory where the engine calls the agents of its users.
  ///
  /// That of a private vault is made if it is missing. An agent calls this before it connects: the
  /// engine notes its agents there, so that programs know of them.
  public func agentDirectory(
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) throws(VaultClientError) -> String {
    switch self {
    case .service: return Self.serviceDirectory + "/" + Self.agents
    case .socket(let path):
      let directory = path.split(separator: "/").dropLast().joined(separator: "/")
      return "/" + directory + "/" + Self.agents
    case .privateVault:
      try PrivateRule.demandAllowed()
      let state = try StateLocation(environment: environment)
      let path = state.path + "/" + Self.agents
      let parent = try state.open()
      let directory: Directory
      do throws(SystemError) {
        directory = try parent.openDirectory(Self.agents, create: true)
      } catch {
        throw .system(error)
      }
      // The engine uses no other directory.
      try StateLocation.check(directory, at: path)
      return path
    }
  }

  /// Whether an agent may show prompts.
  ///
  /// For a private vault, this looks for a living agent. For another vault, only the engine knows.
  package func mayHaveAgent(
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) -> Bool {
    guard self == .privateVault else { return true }
    guard let state = try? StateLocation(environment: environment).open(),
      let agents = try? state.openDirectory(Self.agents)
    else { return false }
    return (try? agents.notesLivingProcess(of: ThisProcess.user)) ?? false
  }

  /// Connects, and checks the server before anything is sent.
  ///
  /// It starts the private engine if none runs.
  public func connect(
    interrupt: Int32? = nil,
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) throws(VaultClientError) -> Connection {
    switch self {
    case .service:
      return try Self.connect(
        directory: Self.serviceDirectory,
        name: Self.serviceSocket,
        interrupt: interrupt
      )
    case .socket(let path): return try Self.connect(path: path, interrupt: interrupt)
    case .privateVault:
      try PrivateRule.demandAllowed()
      return try Self.connectToMove(interrupt: interrupt, environment: environment)
    }
  }

  /// Connects to the person's own vault to move accounts between it and the service.
  ///
  /// A policy that forbids private vaults does not forbid moving out of them. The service itself
  /// refuses to move accounts into one.
  package static func connectToMove(
    interrupt: Int32?,
    environment: (String) -> String?
  ) throws(VaultClientError) -> Connection {
    try connectPrivately(
      state: try StateLocation(environment: environment).open(),
      interrupt: interrupt
    ) { state, deadline throws(VaultClientError) in
      try EngineStart.run(
        try EngineStart.program(),
        state: state,
        deadline: deadline,
        interrupt: interrupt
      )
    }
  }

  /// Connects to a server that runs now, and checks it; `nil` if that would need a wait, the start
  /// of an engine, or an error report.
  ///
  /// Call `connect` then.
  public func connectAtOnce(
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) -> Connection? {
    do {
      switch self {
      case .service:
        return try Self.connect(
          directory: Self.serviceDirectory,
          name: Self.serviceSocket,
          seconds: 0
        )
      case .socket(let path): return try Self.connect(path: path, seconds: 0)
      case .privateVault:
        try PrivateRule.demandAllowed()
        let state = try StateLocation(environment: environment).open()
        let socket = try UnixSocket.connect(in: state, name: Self.engineSocket, seconds: 0)
        return try Self.checked(Connection(socket))
      }
    } catch {
      return nil
    }
  }

  private static func serviceIsInstalled() -> Bool {
    guard
      let directory = try? Directory(path: serviceDirectory),
      let status = try? directory.descriptor.status()
    else { return false }
    // If a sandbox hides its owner, it is refused when it is used, and the private vault is not
    // used.
    let isRoots = status.owner == 0 || FileOwner.isHidden(status.owner)
    return isRoots && status.mode & 0o022 == 0
      && (try? directory.contains(serviceSocket)) == true
  }

  private static func connect(
    path: String,
    interrupt: Int32? = nil,
    seconds: Int = 10
  ) throws(VaultClientError) -> Connection {
    let parts = path.split(separator: "/")
    guard let name = parts.last else { throw .notAbsolute(variable: "THUMBLATCH_SOCKET") }
    return try connect(
      directory: "/" + parts.dropLast().joined(separator: "/"),
      name: String(name),
      mayBeOwn: true,
      interrupt: interrupt,
      seconds: seconds
    )
  }

  private static func connect(
    directory: String,
    name: String,
    mayBeOwn: Bool = false,
    interrupt: Int32? = nil,
    seconds: Int = 10
  ) throws(VaultClientError) -> Connection {
    do {
      let opened = try Directory(path: directory)
      let socket = try UnixSocket.connect(in: opened, name: name, seconds: seconds)
      return try checked(
        Connection(socket, interrupt: interrupt),
        in: opened.descriptor.status(),
        at: directory,
        mayBeOwn: mayBeOwn
      )
    } catch let error as VaultClientError {
      throw error
    } catch let error as SystemError {
      throw .unreachable(place: (directory == "/" ? "" : directory) + "/" + name, cause: error)
    } catch {
      throw .disconnected
    }
  }

  /// Connects to the engine in a state directory.
  ///
  /// `start` is called while none listens.
  ///
  /// Two clients may start two engines. One engine wins the state lock and the other exits. Its
  /// client connects to the winner, which may need a moment until it listens.
  static func connectPrivately(
    state: borrowing Directory,
    interrupt: Int32?,
    start: (borrowing Directory, BootInstant) throws(VaultClientError) -> EngineStart.Outcome
  ) throws(VaultClientError) -> Connection {
    let deadline = BootInstant.now.advanced(bySeconds: startLimit)
    for attempt in 0..<mostStarts {
      do {
        let socket = try UnixSocket.connect(in: state, name: engineSocket)
        return try checked(Connection(socket, interrupt: interrupt))
      } catch let error as SystemError {
        guard error.code == ENOENT || error.code == ECONNREFUSED else {
          throw .unreachable(place: engineSocket, cause: error)
        }
      } catch let error as VaultClientError {
        throw error
      } catch {
        throw .disconnected
      }
      if try start(state, deadline) == .lostTheRace && attempt > 0 {
        try pause(milliseconds: 10 << Int64(attempt), interrupt: interrupt)
      }
    }
    throw .engineFailed(reason: "another engine holds the vault, but it does not listen")
  }

  /// Checks that the private engine is of this user.
  ///
  /// Only this user can open the state directory.
  private static func checked(_ connection: Connection) throws(VaultClientError) -> Connection {
    let user = try connection.peer().user
    guard user == ThisProcess.user else { throw .wrongServer(user: user) }
    return connection
  }

  /// Checks that the server is root, or this user if that is allowed.
  private static func checked(
    _ connection: Connection,
    in directory: FileStatus,
    at path: String,
    mayBeOwn: Bool
  ) throws(VaultClientError) -> Connection {
    let user = try connection.peer().user
    let owner = FileOwner(ofListener: user, in: directory, at: path)
    if case .hidden(let doubt) = owner {
      throw .unsafeDirectory(
        path: path,
        reason: "\(doubt)",
        remedy: "mount a socket of thumblatch agent --socket in the sandbox"
      )
    }
    guard owner.isRoot || mayBeOwn && owner == .own else { throw .wrongServer(user: user) }
    return connection
  }

  private static func pause(milliseconds: Int64, interrupt: Int32?) throws(VaultClientError) {
    let now = BootInstant.now.nanoseconds
    let deadline = BootInstant(nanoseconds: now + milliseconds * 1_000_000)
    _ = try Readiness.unlessInterrupted(interrupt: interrupt, deadline: deadline)
  }
}
