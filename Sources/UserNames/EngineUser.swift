internal import Glibc

/// The engine that a helper answers, which its arguments name.
package enum EngineUser {
  /// The user of the engine in an installed service.
  private static let name = "thumblatch"

  /// The user id of the engine; `nil` if the arguments are others, or name no user.
  ///
  /// Without arguments it is this process's user, because the engine is the parent. With `--service
  /// [--engine NAME]` it is the user with that name.
  package static func user(arguments: [String]) -> UInt32? {
    switch arguments.count {
    case 0: geteuid()
    case 1 where arguments[0] == "--service": UserNames.user(named: name)
    case 3 where arguments[0] == "--service" && arguments[1] == "--engine":
      UserNames.user(named: arguments[2])
    default: nil
    }
  }
}
