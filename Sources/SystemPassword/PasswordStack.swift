/// The location of Thumblatch's PAM stack, which the program decides, never its environment.
package enum PasswordStack: Sendable, Equatable {
  /// The service `thumblatch` of the system, /etc/pam.d/thumblatch.
  case system
  /// A file `thumblatch` in a separate directory (pam_start_confdir(3)).
  case directory(String)

  /// The name of the service.
  package static let service = "thumblatch"
  /// The system's file for the service.
  package static let systemFile = "/etc/pam.d/" + service

  /// The required file.
  var file: String {
    switch self {
    case .system: Self.systemFile
    case .directory(let directory): directory + "/" + Self.service
    }
  }
}
