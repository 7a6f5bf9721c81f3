internal import System
internal import VaultClient
internal import VaultInterface

/// A socket behind which programs get the access tokens of some accounts, and nothing else: for a
/// container, a sandbox, or another machine by `ssh -R`.
///
/// The engine restricts each connection. This only lends them.
enum RestrictedSocket {
  /// Binds the socket, for a restriction that the engine has accepted.
  ///
  /// - Throws: a usage error if the path cannot be used.
  static func open(
    at path: String,
    _ restriction: RestrictCall,
    of location: VaultLocation
  ) throws(CommandError) -> ProgramSocket {
    // Without a connection, the program sees that its own has ended.
    try ProgramSocket(at: path, option: "--socket") { program in
      // A program that says nothing takes no connection to the engine.
      guard hasBegun(program.descriptor), let connection = try? location.connect() else { return }
      guard (try? connection.call(restriction)) != nil else { return }
      try? connection.lend(to: program.descriptor, whenWaiting: program.setWaiting)
    }
  }

  /// Waits until a program has sent something; false if it leaves before.
  private static func hasBegun(_ program: borrowing Descriptor) -> Bool {
    (try? program.waitReadable(milliseconds: -1)) != nil && (try? program.hasEnded()) == false
  }
}
