internal import Glibc

/// What the machine's databases say of its users (nsswitch.conf(5)).
///
/// A room of its own: the front is linked statically, and in such a program glibc would look for
/// the libraries of these databases at run time.
public enum UserNames {
  /// The most bytes of one entry.
  private static let mostBytes = 1 << 20

  /// The login name of a user; `nil` if the user has none, or it cannot be found out
  /// (getpwuid_r(3)).
  public static func name(of user: UInt32) -> String? {
    var entry = unsafe passwd()
    return unsafe withEntry { space, count, found in
      unsafe getpwuid_r(user, &entry, space, count, &found)
    } read: { found in
      guard let name = unsafe found.pointee.pw_name else { return nil }
      let text = unsafe String(cString: name)
      return text.isEmpty ? nil : text
    }
  }

  /// The uid of a login name; `nil` if there is none, or it cannot be found out (getpwnam_r(3)).
  public static func user(named name: String) -> UInt32? {
    var entry = unsafe passwd()
    return unsafe withEntry { space, count, found in
      unsafe getpwnam_r(name, &entry, space, count, &found)
    } read: { found in
      unsafe found.pointee.pw_uid
    }
  }

  /// Looks an entry up, with more room where what there is does not do (ERANGE).
  private static func withEntry<Value>(
    look: (
      UnsafeMutablePointer<CChar>, Int, inout UnsafeMutablePointer<passwd>?
    ) -> Int32,
    read: (UnsafeMutablePointer<passwd>) -> Value?
  ) -> Value? {
    var size = 4096
    while size <= mostBytes {
      let space = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { unsafe space.deallocate() }
      var found: UnsafeMutablePointer<passwd>?
      let code = unsafe look(space, size, &found)
      if code == 0 { return unsafe found.flatMap { unsafe read($0) } }
      guard code == ERANGE || code == EINTR else { return nil }
      if code == ERANGE { size *= 4 }
    }
    return nil
  }
}
