internal import Glibc
internal import System

/// The program that knows all verbs: beside this one, or where packages put it.
///
/// It is never looked up in PATH: a directory there could belong to anyone, and the program would
/// be given passwords.
enum CommandProgram {
  private static let name = "thumblatch-cli"
  private static let libexec = "/usr/libexec/thumblatch"

  /// Becomes the command-line program, with the arguments and the environment of this one.
  static func replaceThisProcess(
    arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> Never {
    let own = (try? ThisProcess.programDirectory()) ?? libexec
    for directory in own == libexec ? [own] : [own, libexec] {
      let path = directory + "/" + name
      switch check(directory) {
      case .missing: continue
      case .unsafe: fail("\(path) or its directory can be changed by other users", status: 6)
      case .fit: break
      }
      // execv(3) hands the environment on; both keep bytes that are no UTF-8.
      unsafe execv(path, arguments)
      fail(SystemError("exec", code: errno, subject: path).description, status: 1)
    }
    fail("\(name) is neither beside this program nor in \(libexec): install it again", status: 1)
  }

  private enum Fitness {
    case fit
    case missing
    case unsafe
  }

  /// A program counts if nobody but root and this user can change it or its directory.
  private static func check(_ directory: String) -> Fitness {
    do throws(SystemError) {
      let place = try Directory(path: directory)
      let file = try place.openForReading(name)
      let program = try file.status()
      let surroundings = try place.descriptor.status()
      return isUnchangeable(program, .regular) && isUnchangeable(surroundings, .directory)
        ? .fit : .unsafe
    } catch {
      return error.code == ENOENT || error.code == ENOTDIR ? .missing : .unsafe
    }
  }

  private static func isUnchangeable(_ status: FileStatus, _ kind: FileKind) -> Bool {
    status.kind == kind && (status.owner == 0 || status.owner == ThisProcess.user)
      && status.mode & 0o022 == 0
  }

  private static func fail(_ message: String, status: Int32) -> Never {
    let line = "thumblatch: error: \(message)\n"
    _ = unsafe line.utf8.withContiguousStorageIfAvailable {
      unsafe write(2, $0.baseAddress, $0.count)
    }
    exit(status)
  }
}
