// The wall of this room: the static front must not link the lookup of users.

internal import Glibc

/// Looks up users in the machine's databases (nsswitch.conf(5)).
///
/// In a static program, glibc would load the libraries of these databases at run time.
package enum UserNames {
  /// The most bytes of one entry.
  private static let mostBytes = 1 << 20

  /// The user name of a user id; `nil` if there is none, or the lookup fails (getpwuid_r(3)).
  package static func name(of user: UInt32) -> String? {
    var entry = unsafe passwd()
    return unsafe withEntry { space, count, found in
      unsafe getpwuid_r(user, &entry, space, count, &found)
    } read: { found in
      guard let name = unsafe found.pointee.pw_name else { return nil }
      let text = unsafe String(cString: name)
      return text.isEmpty ? nil : text
    }
  }

  /// The home directory of a user id; `nil` if there is none, or the lookup fails (getpwuid_r(3)).
  package static func home(of user: UInt32) -> String? {
    var entry = unsafe passwd()
    return unsafe withEntry { space, count, found in
      unsafe getpwuid_r(user, &entry, space, count, &found)
    } read: { found in
      guard let home = unsafe found.pointee.pw_dir else { return nil }
      return unsafe String(cString: home)
    }
  }

  /// The user id of a user name; `nil` if there is none, or the lookup fails (getpwnam_r(3)).
  package static func user(named name: String) -> UInt32? {
    var entry = unsafe passwd()
    return unsafe withEntry { space, count, found in
      unsafe getpwnam_r(name, &entry, space, count, &found)
    } read: { found in
      unsafe found.pointee.pw_uid
    }
  }

  /// The ids of a user and of its group, by the name of the user; `nil` as above (getpwnam_r(3)).
  package static func userAndGroup(named name: String) -> (user: UInt32, group: UInt32)? {
    var entry = unsafe passwd()
    return unsafe withEntry { space, count, found in
      unsafe getpwnam_r(name, &entry, space, count, &found)
    } read: { found in
      unsafe (found.pointee.pw_uid, found.pointee.pw_gid)
    }
  }

  /// Looks up an entry, with a larger buffer if the first is too small (ERANGE).
  private static func withEntry<Value>(
    look: (UnsafeMutablePointer<CChar>, Int, inout UnsafeMutablePointer<passwd>?) -> Int32,
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
