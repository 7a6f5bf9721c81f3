/// Where the PAM stack of Thumblatch lies: a decision of the program, never of its environment.
public enum PasswordStack: Sendable, Equatable {
  /// The service `thumblatch` of the system, /etc/pam.d/thumblatch.
  case system
  /// A file `thumblatch` in a directory of its own (pam_start_confdir(3)).
  case directory(String)

  /// The name of the service.
  public static let service = "thumblatch"
  /// Where the system has it.
  public static let systemFile = "/etc/pam.d/" + service

  /// The file that must exist.
  var file: String {
    switch self {
    case .system: Self.systemFile
    case .directory(let directory): directory + "/" + Self.service
    }
  }
}
