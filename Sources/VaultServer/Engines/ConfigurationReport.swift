internal import Configuration
internal import MachineFiles
internal import System
internal import UserNames

/// Checks the administrator's configuration for a person or a program:
/// `thumblatchd --check-config`.
package enum ConfigurationReport {
  /// The user of the service.
  private static let serviceUser = "thumblatch"

  /// Prints each finding, and whether there is an error.
  ///
  /// For the service's own directory, root becomes the user of the service first: a file that the
  /// service may not read is an error.
  ///
  /// - Parameter path: another directory, or a file to check as a policy before it is put in its
  ///   place, which must exist; `nil` for the service's own directory, which may be missing.
  /// - Returns: the exit status: 0 if there is no error, else 2.
  package static func run(_ path: String?) -> Int32 {
    let path = path.flatMap { isStandard($0) ? nil : $0 }
    do {
      try ThisProcess.reserveStandardDescriptors()
      if path == nil, ThisProcess.user == 0,
        let service = UserNames.userAndGroup(named: serviceUser)
      {
        try ThisProcess.become(user: service.user, group: service.group)
      }
      let (check, subject) = try check(path)
      for finding in check.findings {
        try write("\(finding.isError ? "error" : "note"): \(finding)", to: 1)
      }
      let errors = check.findings.count(where: \.isError)
      try write("\(subject(check)): \(errors == 0 ? "no error" : count(errors, "error"))", to: 1)
      return errors == 0 ? 0 : 2
    } catch {
      try? write("thumblatchd: \(error)", to: 2)
      return 2
    }
  }

  private static func isStandard(_ path: String) -> Bool {
    path.split(separator: "/") == MachineDirectory.standard.split(separator: "/")
  }

  private static func write(_ line: String, to number: Int32) throws {
    let output = Descriptor(owning: number)
    let result = Result { try output.write(line + "\n") }
    // It is the process's own, and stays open.
    _ = output.relinquish()
    try result.get()
  }

  private static func check(
    _ path: String?
  ) throws -> (ConfigurationCheck, (ConfigurationCheck) -> String) {
    let (isNamed, path) = (path != nil, path ?? MachineDirectory.standard)
    let shown = ConfigurationError.shown(path)
    guard let file = try file(at: path) else {
      if isNamed { try demandDirectory(path) }
      let owners: Set<UInt32> = isNamed ? [0, ThisProcess.user] : [0]
      let check = ConfigurationCheck(MachineDirectory(path: path, owners: owners))
      return (
        check,
        { "\(shown), \(count($0.dropIns, "drop-in")), \(count($0.providers, "provider"))" }
      )
    }
    return (ConfigurationCheck(policyFile: file, file: path), { _ in shown })
  }

  /// Refuses a path that does not exist: the defaults of a misspelled one would pass as sound.
  private static func demandDirectory(_ path: String) throws {
    do throws(SystemError) { _ = try Directory(path: path) } catch {
      guard error.isMissing else { return }
      throw ConfigurationError(.unreadable("there is no such file or directory"), file: path)
    }
  }

  /// The content of a regular file; `nil` for a directory, and for a path that does not exist.
  private static func file(at path: String) throws -> [UInt8]? {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let parent = end == path.startIndex ? "/" : String(path[..<end])
    let name = String(path[path.index(after: end)...])
    guard !name.isEmpty, let directory = try? Directory(path: parent),
      let file = try? directory.openForReading(name), try file.status().kind == .regular
    else { return nil }
    return try file.readAll(limit: ConfigurationCheck.maximumFile)
  }

  private static func count(_ number: Int, _ what: String) -> String {
    "\(number) \(what)\(number == 1 ? "" : "s")"
  }
}
