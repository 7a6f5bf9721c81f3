internal import System
internal import UserNames

/// The environment that another tool gives its helper: some do not pass HOME, which is then read
/// from the user database.
struct ToolEnvironment {
  private let environment: (String) -> String?

  init(_ environment: @escaping (String) -> String?) { self.environment = environment }

  /// A variable; an absolute path for HOME.
  func value(_ name: String) -> String? {
    let value = environment(name)
    guard name == "HOME", value?.hasPrefix("/") != true else { return value }
    return UserNames.home(of: ThisProcess.user)
  }
}
