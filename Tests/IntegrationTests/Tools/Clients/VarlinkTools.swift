import System
import TestSupport

/// Two clients of Varlink that know nothing of the vault: Python's package `varlink`, and
/// varlinkctl of systemd.
struct VarlinkTools {
  /// Whether varlinkctl itself is here: systemd has it since version 255, and Debian 12 has 252.
  let hasControl: Bool
  /// The directory of Python's package.
  let packages: String
  /// What a shell script begins with.
  let setting: String

  init(for person: Someone) throws {
    hasControl = (try? shell("command -v varlinkctl")) != nil
    packages = try person.pythonPackages("varlink")
    let drivers = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers"
    try shell("install -m 644 \(drivers)/varlinkctl.py \(person.base)/varlinkctl.py")
    let standIn = "; varlinkctl() { /usr/bin/python3 \(person.base)/varlinkctl.py \"$@\"; }"
    setting = "export PYTHONPATH=\(packages)" + (hasControl ? "" : standIn)
  }
}

extension Someone {
  /// Copies packages of the environment of `Tests/Providers` to where this person may read them;
  /// returns the directory for PYTHONPATH.
  func pythonPackages(_ names: String...) throws -> String {
    let program = BuiltPrograms.sourceDirectory + "/Tests/Providers/environment"
    let environment = try IntegrationTests.shell("\(program) 2>/dev/null").dropLast()
    try IntegrationTests.shell(
      """
      cd \(environment)/lib/python3*/site-packages
      mkdir -p \(base)/python
      cp -r \(names.joined(separator: " ")) \(base)/python
      chmod -R a+rX \(base)/python
      """
    )
    return base + "/python"
  }
}
