import System
import TestSupport

/// A server over TLS that real tools reach with a token: `Drivers/tool-server.py`.
///
/// A line of its log has the status, scheme and user name, and path of a request. Its directory has
/// the repositories too.
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

extension Someone {
  /// A copy of cargo that this person may run.
  func cargo() throws -> String {
    let path = ThisProcess.environment("PATH") ?? "/usr/bin:/bin"
    let home = ThisProcess.environment("HOME") ?? "/root"
    // The cargo of rustup starts another one, which only its owner may read.
    try IntegrationTests.shell(
      """
      export PATH='\(path)' HOME='\(home)'
      cargo=$(rustup which cargo 2>/dev/null) || cargo=$(command -v cargo)
      install -m 755 "$cargo" \(base)/cargo
      """
    )
    return base + "/cargo"
  }

  /// A script in which cargo gets the crate of a server, by the registry `example` of its settings.
  ///
  /// cargo needs no compiler for that.
  func vendoring(by cargo: String, _ server: ToolServer) -> String {
    """
    mkdir -p ~/crate/src; cd ~/crate; : >src/lib.rs
    cat >Cargo.toml <<END
    [package]
    name = "crate"
    version = "1.0.0"
    [dependencies]
    app = {version = "1", registry = "example"}
    END
    CARGO_HTTP_CAINFO=\(server.authority) \(cargo) vendor 2>&1
    """
  }
}
