internal import Glibc

/// The vault whose tokens the front gives.
enum FrontVault {
  case service
  case privateVault

  /// The vault that the command-line program would use; `nil` if it has to find that out.
  static func chosen(privately: Bool = false) -> FrontVault? {
    if !privately {
      // The variable names another vault: the command-line program checks who serves it.
      if StateFiles.isSocketNamed { return nil }
      // A service on this machine must not be bypassed silently.
      if unsafe access(word("/run/thumblatch"), F_OK) == 0 { return .service }
    }
    // The command-line program says that the administrator forbids it.
    return PrivateRule.isUnset ? .privateVault : nil
  }
}
