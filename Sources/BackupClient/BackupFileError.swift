internal import BackupFormat
internal import Glibc
package import System

/// Why a backup file is not written, or not read.
package enum BackupFileError: Error, Sendable {
  case noFileName(path: String)
  /// It is there, and must not be replaced.
  case exists(path: String)
  case notRegular(path: String)
  case tooLarge(path: String)
  case unwritten(path: String, SystemError)
  case unopened(SystemError)
  case unread(path: String, SystemError)

  init(writing path: String, _ error: SystemError) {
    self = error.code == EEXIST ? .exists(path: path) : .unwritten(path: path, error)
  }
}

extension BackupFileError: CustomStringConvertible {
  /// The problem in one clause.
  package var description: String {
    switch self {
    case .noFileName(let path): "\(path) is not a file name"
    case .exists(let path): "\(path) exists already"
    case .notRegular(let path): "\(path) is not a regular file"
    case .tooLarge(let path):
      "a backup has at most \(BackupHeader.mostFile >> 20) MiB: \(path) has more"
    case .unwritten(let path, let error): "\(path) could not be written: \(error)"
    case .unopened(let error): "\(error)"
    case .unread(let path, let error): "\(path) could not be read: \(error)"
    }
  }
}
