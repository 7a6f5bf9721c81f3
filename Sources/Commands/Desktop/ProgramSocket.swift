internal import Configuration
internal import Glibc
internal import System
internal import VaultClient

/// A socket at a path that the person chose, with a thread for each program that connects.
final class ProgramSocket: Sendable {
  private let directory: Directory
  private let name: String
  private let listener: Descriptor
  /// Identifies the socket among files that get its name later.
  private let file: FileStamp?
  private let answer: @Sendable (ConnectedProgram) -> Void
  private let programs: ConnectedPrograms

  /// Binds the socket at the path that an option names.
  ///
  /// `answer` serves one program, whose connection ends when it returns.
  ///
  /// - Throws: a usage error if the path cannot be used.
  init(
    at path: String,
    option: String,
    answer: @escaping @Sendable (ConnectedProgram) -> Void
  ) throws(CommandError) {
    guard path.hasPrefix("/"), let last = path.split(separator: "/").last else {
      throw .usage("\(option) must be a path that begins with /")
    }
    self.answer = answer
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
      file = try directory.stamp(name)
      programs = try ConnectedPrograms()
    } catch {
      throw .usage("\(option) \(ConfigurationError.shown(path)) cannot be used: \(error)")
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

  /// Serves programs until this process ends.
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

  /// Removes the name of the socket, unless another file has that name by now.
  func remove() {
    guard let file, let found = try? directory.stamp(name), found.isOfSameFile(as: file) else {
      return
    }
    _ = try? directory.unlink(name)
  }

  private func accept() throws(SystemError) {
    guard let socket = try UnixSocket.accept(on: listener) else { return }
    let program = ConnectedProgram(socket)
    guard programs.add(program) else { return }
    do throws(SystemError) {
      try startThread { [self] in
        defer { programs.remove(program) }
        answer(program)
      }
    } catch {
      programs.remove(program)
    }
  }
}

/// A descriptor that a thread takes along.
final class HeldDescriptor: Sendable {
  let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}
