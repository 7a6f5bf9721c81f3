internal import Glibc
internal import JSON
public import System
public import VaultInterface

/// A restricted socket that an agent of the same user serves, as that agent has noted it.
///
/// The engine knows such a socket only while a program uses it. Each program of the user can write
/// a note, so it is there to be shown, and nothing is decided by it.
public struct RestrictedSocketNote: Sendable, Equatable {
  /// The most notes that are read.
  private static let most = 64
  /// The longest note that is read, in bytes.
  private static let longest = 64 * 1024

  /// The path of the socket.
  public let path: String
  /// The accounts and limits of programs behind the socket.
  public let restriction: RestrictCall
  /// The process that serves the socket.
  ///
  /// It is `nil` only in a note of this process, if proc(5) does not show when the process started.
  package let agent: ProcessNote?

  /// Makes a note of a socket that this process serves.
  public init(path: String, restriction: RestrictCall) {
    self.init(path: path, restriction: restriction, agent: Self.thisProcess)
  }

  private init(path: String, restriction: RestrictCall, agent: ProcessNote?) {
    (self.path, self.restriction, self.agent) = (path, restriction, agent)
  }

  /// The directory of the notes, in that of the person's session; `nil` if the session has none.
  public static func directory(
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) -> String? {
    guard let session = environment("XDG_RUNTIME_DIR"), session.hasPrefix("/") else { return nil }
    return session + "/thumblatch-sockets"
  }

  /// The sockets of agents that run now and use this vault, by name.
  ///
  /// Any other file is skipped.
  public static func all(
    of vault: VaultLocation,
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) -> [RestrictedSocketNote] {
    guard let path = directory(environment: environment),
      let directory = try? Directory(path: path),
      let names = try? directory.names(),
      let place = try? vault.place(environment: environment)
    else { return [] }
    return names.sorted().prefix(most).compactMap { name in
      guard let agent = ProcessNote(name: name), agent.user == ThisProcess.user, agent.isAlive
      else { return nil }
      return read(agent, in: directory, place)
    }.sorted { ($0.restriction.name, $0.path) < ($1.restriction.name, $1.path) }
  }

  private static func read(
    _ agent: ProcessNote,
    in directory: borrowing Directory,
    _ place: String
  ) -> RestrictedSocketNote? {
    do {
      let file = try directory.openForReading(agent.name)
      guard try file.status().kind == .regular,
        case .object(let object) = try JSONReader.read(try file.readAll(limit: longest)),
        try object.string("vault") == place
      else { return nil }
      return RestrictedSocketNote(
        path: try object.string("path"),
        restriction: try RestrictCall(decoding: try object.object("restriction")),
        agent: agent
      )
    } catch {
      return nil
    }
  }

  /// Writes the note of this process; does nothing if the session has no directory.
  ///
  /// - Throws: if the note cannot be written.
  public func write(
    of vault: VaultLocation,
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) throws {
    guard let path = Self.directory(environment: environment), let name = agent?.name else {
      return
    }
    let directory = try Directory.make(path: path)
    try directory.forgetEndedProcesses()
    _ = try? directory.unlink(name)
    let object: JSONObject = [
      "vault": .string(try vault.place(environment: environment)), "path": .string(self.path),
      "restriction": .object(try restriction.encoded),
    ]
    try directory.create(name).write(try JSONWriter.write(.object(object)))
  }

  /// Removes the note of this process.
  public static func remove(
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) {
    guard let path = directory(environment: environment), let name = thisProcess?.name,
      let directory = try? Directory(path: path)
    else { return }
    _ = try? directory.unlink(name)
  }

  private static var thisProcess: ProcessNote? {
    let process = ThisProcess.identifier
    guard let started = ProcessFacts(process: process)?.started else { return nil }
    return ProcessNote(user: ThisProcess.user, process: process, started: started)
  }
}

extension VaultLocation {
  /// The value that distinguishes this vault from the user's other vaults.
  fileprivate func place(environment: (String) -> String?) throws(VaultClientError) -> String {
    switch self {
    case .service: Self.serviceDirectory
    case .socket(let path): path
    case .privateVault: try StateLocation(environment: environment).path
    }
  }
}
