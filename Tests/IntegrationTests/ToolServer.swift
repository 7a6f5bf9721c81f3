import TestSupport

/// A server over TLS that real tools reach with a token: `Drivers/tool-server.py`.
///
/// A line of its log has the status, scheme and user name, and path of a request. Its directory has the
/// repositories too.
final class ToolServer: PersonServer {
  /// `127.0.0.1` with the port.
  var host: String { "127.0.0.1:" + port }
  /// The certificate of its authority.
  var authority: String { certificates.path("ca.pem") }
  private let certificates: DevBackendCertificates

  /// Starts the server as a person, who owns the repository `app.git`.
  init(as person: Someone) throws {
    let certificates = try DevBackendCertificates()
    try shell("chmod -R a+rX \(certificates.directory)")
    self.certificates = certificates
    try super.init(
      "tool-server.py",
      as: person,
      in: "server",
      [certificates.path("leaf.pem"), certificates.path("leaf.key")]
    ) { directory in
      try person.shell(
        """
        git init --quiet --bare --initial-branch=main \(directory)/git/app.git
        git -C \(directory)/git/app.git config http.receivepack true
        """
      ).succeeded()
    }
  }
}
