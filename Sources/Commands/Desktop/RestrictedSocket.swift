internal import System
internal import VaultClient
internal import VaultInterface

/// A socket behind which programs get the access tokens of some accounts, and nothing else: for a
/// container, a sandbox, or another machine by `ssh -R`.
///
/// The engine restricts each connection. This only lends them.
struct RestrictedSocket {
  private let socket: ProgramSocket
  private let note: RestrictedSocketNote
  private let location: VaultLocation

  /// Binds the socket, for a restriction that the engine has accepted.
  ///
  /// - Throws: a usage error if the path cannot be used.
  init(
    at path: String,
    _ restriction: RestrictCall,
    of location: VaultLocation
  ) throws(CommandError) {
    self.location = location
    note = RestrictedSocketNote(path: path, restriction: restriction)
    // Without a connection, the program sees that its own has ended.
    socket = try ProgramSocket(at: path, option: "--socket") { program in
      // A silent program uses no connection to the engine.
      guard Self.hasBegun(program.descriptor), let connection = try? location.connect() else {
        return
      }
      guard (try? connection.call(restriction)) != nil else { return }
      try? connection.lend(to: program.descriptor, whenWaiting: program.setWaiting)
    }
  }

  /// Serves programs until this process ends, and notes that for the person's other programs.
  ///
  /// Returns at once.
  func serve(_ session: Session) throws(CommandError) {
    try socket.serve()
    do { try note.write(of: location, environment: session.environment) } catch {
      session.output.talk(Self.notNoted(error))
    }
  }

  /// The agent's message if it cannot note the socket.
  static func notNoted(_ error: any Error) -> String {
    "the desktop app does not show this socket: \(error)"
  }

  /// Removes the name of the socket, and the note.
  func remove(_ session: Session) {
    socket.remove()
    RestrictedSocketNote.remove(environment: session.environment)
  }

  /// Waits until a program has sent something; false if it leaves before.
  private static func hasBegun(_ program: borrowing Descriptor) -> Bool {
    (try? program.waitReadable(milliseconds: -1)) != nil && (try? program.hasEnded()) == false
  }
}
