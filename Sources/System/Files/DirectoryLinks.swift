internal import Glibc

// Hard links in a directory.
extension Directory {
  /// Gives the file called `existing` the additional name `name` (linkat(2)).
  ///
  /// It fails with EEXIST if `name` exists, of any type. Links are not followed.
  package func link(_ existing: String, as name: String) throws(SystemError) {
    guard unsafe linkat(descriptor.number, existing, descriptor.number, name, 0) == 0 else {
      throw SystemError("linkat", code: errno, subject: name)
    }
  }
}
