import Glibc
import System
import TestSupport
import Testing

/// A person with an enrolled finger at a desktop, on whose session bus `agent --secret-service`
/// serves the real clients of the Secret Service.
struct SecretServiceDesk {
  static let unlocking = "Touch the fingerprint reader to unlock secret-"

  let person: Someone
  let desk: Desk

  /// Starts the agent, and waits until it has its name.
  func startAgent() throws -> Run {
    let agent = try person.start(["agent", "--secret-service"], variables: desk.variables)
    try awaitName()
    return agent
  }

  /// Waits until a program has the name of the service.
  func awaitName() throws {
    let bus = "'org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus'"
    try desk.run(
      "desk.until(lambda: desk.call(\(bus), 'NameHasOwner', '(s)', 'org.freedesktop.secrets')[0])"
    )
  }

  func stop(_ agent: Run, _ said: String = "") throws {
    kill(agent.child.identifier, SIGTERM)
    let text = try agent.text()
    #expect(said.isEmpty ? text.isEmpty : text.contains(said), "\(text)")
    #expect(try agent.child.wait() == .exited(0))
  }

  /// Starts a shell script of the person at the desktop.
  func start(_ script: String) throws -> Run {
    try Run(
      "/usr/bin/setsid",
      ["/usr/bin/setpriv"] + person.become + ["/bin/sh", "-c", "exec 2>&1; \(script)"],
      environment: person.environment + desk.variables
        + ["PYTHONPATH=\(person.base)/python", "PYTHONDONTWRITEBYTECODE=1"]
    )
  }

  /// The output of a script that needs no check.
  @discardableResult
  func run(_ script: String) throws -> String {
    try output(of: try start(script))
  }

  /// The output of a script that has ended well.
  func output(of run: Run) throws -> String {
    let text = try run.text()
    #expect(try run.child.wait() == .exited(0), "\(text)")
    return text
  }

  /// The output of a script for which the person touches the reader once.
  func touching(_ question: String, _ script: String) throws -> String {
    let shown = try desk.count()
    let run = try start(script)
    try desk.sees(question, above: shown)
    try person.touch()
    return try output(of: run)
  }

  /// Locks the vault.
  func lock() throws { try person.run("lock").succeeded() }

  /// Stores an item with secret-tool.
  func store(_ value: String, _ attributes: String = "mail ada") throws {
    try run("printf %s '\(value)' | secret-tool store --label='The <b>mail</b>' \(attributes)")
  }
}

extension Someone {
  /// Copies the clients of the Secret Service to where this person may read them.
  func copySecretClients() throws {
    let program = BuiltPrograms.sourceDirectory + "/Tests/Providers/environment"
    let environment = try IntegrationTests.shell("\(program) secrets 2>/dev/null").dropLast()
    try IntegrationTests.shell(
      """
      mkdir -m 755 \(base)/python
      cp -r \(environment)/lib/python3*/site-packages/* \(base)/python
      install -m 755 \(environment)/bin/uv \(base)/uv
      chmod -R a+rX \(base)/python
      """
    )
  }
}
