internal import Glibc

extension Directory {
  /// Gives the file called `existing` the further name `name`, which must not exist yet: EEXIST
  /// otherwise, whatever stands there (linkat(2); no link is followed).
  public func link(_ existing: String, as name: String) throws(SystemError) {
    guard unsafe linkat(descriptor.number, existing, descriptor.number, name, 0) == 0 else {
      throw SystemError("linkat", code: errno, subject: name)
    }
  }
}
