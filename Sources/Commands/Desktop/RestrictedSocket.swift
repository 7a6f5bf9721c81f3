internal import Configuration
internal import Glibc
internal import Synchronization
internal import System
internal import VaultClient
internal import VaultInterface

/// A socket behind which programs get the access tokens of some accounts, and nothing else: for a
/// container, a sandbox, or another machine by `ssh -R`.
///
/// The engine restricts each connection. This only lends them.
final class RestrictedSocket: Sendable {
  /// The most programs that are connected at once.
  private static let mostPrograms = 32

  private let restriction: RestrictCall
  private let location: VaultLocation
  private let directory: Directory
  private let name: String
  private let listener: Descriptor
  private let programs = Atomic(0)

  /// Binds the socket, for a restriction that the engine has accepted.
  ///
  /// - Throws: a usage error if the path cannot be used.
  init(
    at path: String,
    _ restriction: RestrictCall,
    of location: VaultLocation
  ) throws(CommandError) {
    guard path.hasPrefix("/"), let last = path.split(separator: "/").last else {
      throw .usage("--socket must be a path that begins with /")
    }
    self.restriction = restriction
    self.location = location
    name = String(last)
    do throws(SystemError) {
      directory = try Directory(
        path: "/" + path.split(separator: "/").dropLast().joined(separator: "/")
      )
      if let file = try directory.stamp(name) {
        guard file.isSocket else { throw SystemError("bind", code: EEXIST, subject: name) }
        guard try !Self.isServed(directory, name) else {
          throw SystemError("bind", code: EADDRINUSE, subject: name)
        }
        _ = try directory.unlink(name)
      }
      listener = try UnixSocket.listen(in: directory, name: name)
    } catch {
      throw .usage("--socket \(ConfigurationError.shown(path)) cannot be used: \(error)")
    }
  }

  /// Whether a program listens at a socket.
  private static func isServed(
    _ directory: borrowing Directory,
    _ name: String
  ) throws(SystemError) -> Bool {
    do throws(SystemError) {
      _ = try UnixSocket.connect(in: directory, name: name, seconds: 0)
      return true
    } catch {
      guard error.code == ECONNREFUSED else { throw error }
      return false
    }
  }

  /// Lends connections until this process ends.
  ///
  /// Returns at once.
  func serve() throws(CommandError) {
    do throws(SystemError) {
      try startThread { [self] in
        while (try? listener.waitReadable(milliseconds: -1)) != nil {
          do throws(SystemError) { try accept() } catch {
            // Descriptors have run out, and the program waits.
            _ = try? Readiness.wait(
              for: -1,
              interrupt: nil,
              deadline: BootInstant.now.advanced(bySeconds: 1)
            )
          }
        }
        remove()
      }
    } catch {
      throw CommandError(VaultClientError.system(error))
    }
  }

  /// Removes the name of the socket.
  func remove() { _ = try? directory.unlink(name) }

  private func accept() throws(SystemError) {
    guard let program = try UnixSocket.accept(on: listener) else { return }
    guard programs.add(1, ordering: .relaxed).newValue <= Self.mostPrograms else {
      programs.subtract(1, ordering: .relaxed)
      return
    }
    let held = HeldDescriptor(program)
    do throws(SystemError) {
      try startThread { [self] in
        defer { programs.subtract(1, ordering: .relaxed) }
        lend(to: held)
      }
    } catch {
      programs.subtract(1, ordering: .relaxed)
    }
  }

  /// Lends a connection to one program.
  ///
  /// Without one, the program sees that its own has ended.
  private func lend(to program: HeldDescriptor) {
    guard let connection = try? location.connect() else { return }
    guard (try? connection.call(restriction)) != nil else { return }
    try? connection.lend(to: program.descriptor)
  }
}

/// A descriptor that a thread takes along.
final class HeldDescriptor: Sendable {
  let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}
