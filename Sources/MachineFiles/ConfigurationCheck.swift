internal import Configuration
internal import System

/// Reads the administrator's files as the service does, and lists all errors and all that is
/// ignored.
///
/// Its findings never quote a line of a provider file: such a line may hold a client secret.
package struct ConfigurationCheck: Sendable {
  /// One line of the result.
  package struct Finding: Sendable, Equatable, CustomStringConvertible {
    /// Whether the service refuses what depends on it.
    package let isError: Bool
    /// `file:line: text`.
    package let description: String
  }

  /// The most bytes of a file.
  package static let maximumFile = MachineDirectory.maximumFile

  package private(set) var findings: [Finding] = []
  /// The number of drop-ins and of provider files that were read.
  package private(set) var dropIns = 0
  package private(set) var providers = 0

  package var hasErrors: Bool { findings.contains(where: \.isError) }

  /// Checks a directory.
  package init(_ files: MachineDirectory) {
    do throws(ConfigurationError) {
      guard try files.openDirectory(files.path) != nil else {
        ignore("\(ConfigurationError.shown(files.path)): it does not exist, so the defaults apply")
        return
      }
    } catch {
      fail(error)
      return
    }
    let allowed = checkPolicy(files)
    checkProviders(files, allowed)
  }

  /// Checks one file as a policy, such as a drop-in before it is put in its place.
  package init(policyFile bytes: [UInt8], file: String) {
    var policy = PolicyFiles()
    let source = PolicyFiles.Source(file: file, bytes: bytes)
    attempt { () throws(ConfigurationError) in try policy.add(source) }
    // Another file may set a stricter value.
    checkSections(policy, desktop: policy.location(of: .desktop) == nil ? .off : nil)
  }

  /// Finds the errors of a policy, and the rules for callers that hold for more programs than it
  /// seems.
  ///
  /// - Parameters:
  ///   - files: the files of the policy.
  ///   - desktop: the value that rules loosen; `nil` for that of the files.
  private mutating func checkSections(_ files: PolicyFiles, desktop: Policy.Desktop? = nil) {
    for error in files.errors() { fail(error) }
    guard let policy = try? files.policy() else { return }
    for rule in policy.callers where rule.loosens(desktop ?? policy.desktop) {
      guard let unit = rule.settings["unit"].flatMap(UnitsOfUsers.first),
        let value = rule.rule.desktop?.rawValue, let location = files.locationOfDesktop(in: rule)
      else { continue }
      ignore("\(location): \(NamedRule.warning(ofUnit: unit, desktop: value))")
    }
  }

  /// The providers that a policy allows.
  private struct Allowed {
    let names: Set<ProviderName>
    let location: PolicyFiles.Location
  }

  /// Checks the policy; returns the only providers that it allows, or `nil` if it names none.
  private mutating func checkPolicy(_ files: MachineDirectory) -> Allowed? {
    var policy = PolicyFiles()
    attempt { () throws(ConfigurationError) in
      guard let directory = try files.openDirectory(files.path),
        let bytes = try files.read(MachineDirectory.policyName, directory, files.policyFile)
      else { return }
      try policy.add(PolicyFiles.Source(file: files.policyFile, bytes: bytes))
    }
    do throws(ConfigurationError) {
      if let folder = try files.openDirectory(files.dropIns) {
        let names = try files.dropInNames(folder)
        for name in names.read {
          attempt { () throws(ConfigurationError) in
            if let source = try files.dropIn(name, folder) { try policy.add(source) }
          }
        }
        dropIns = names.read.count
        for name in names.ignored {
          ignore(
            "\(Self.shown(files.dropIns, name)): ignored: it does not end with .conf, or is hidden"
          )
        }
      }
    } catch {
      fail(error)
    }
    for replaced in policy.replaced {
      ignore("\(replaced.location): \(replaced.key): ignored: \(replaced.by) sets it")
    }
    checkSections(policy)
    guard let rules = try? policy.policy() else { return nil }
    if rules.exportable == .never, rules.providers == .any,
      let location = policy.location(of: .exportable)
    {
      ignore(
        "\(location): exportable: with providers = any, a user may sign in through a provider file of"
          + " their own, which says where its tokens go"
      )
    }
    guard case .only(let names) = rules.providers, let location = policy.location(of: .providers)
    else { return nil }
    return Allowed(names: names, location: location)
  }

  private mutating func checkProviders(_ files: MachineDirectory, _ allowed: Allowed?) {
    let names: [String]
    do throws(ConfigurationError) { names = try files.providerNames() } catch { return fail(error) }
    let read = MachineDirectory.read(names)
    providers = read.count
    for name in read {
      attempt { () throws(ConfigurationError) in _ = try files.provider(name) }
    }
    // Certificates that provider files name lie there too.
    let known = Set(read)
    for name in names where name.hasSuffix(PolicyFiles.ending) && !known.contains(name) {
      let why =
        ProviderFile.providerName(fileName: name) == nil
        ? "its name is not that of a provider"
        : "there are more than \(MachineDirectory.mostProviders) providers"
      ignore("\(Self.shown(files.providers, name)): ignored: \(why)")
    }
    guard let allowed else { return }
    let here = read.compactMap { ProviderFile.providerName(fileName: $0) }
    // A misspelled name would keep every user from the provider that was meant.
    for name in allowed.names.subtracting(here).sorted() {
      let file = Self.shown(files.providers, ProviderFile.fileName(for: name))
      ignore(
        "\(allowed.location): providers: no sign-in at \(name) is allowed: there is no \(file)"
      )
    }
  }

  private static func shown(_ directory: String, _ name: String) -> String {
    ConfigurationError.shown(directory + "/" + name)
  }

  private mutating func attempt(_ body: () throws(ConfigurationError) -> Void) {
    do throws(ConfigurationError) { try body() } catch { fail(error) }
  }

  private mutating func fail(_ error: ConfigurationError) {
    findings.append(Finding(isError: true, description: "\(error)"))
  }

  /// Notes what is ignored, or has less effect than it seems to.
  private mutating func ignore(_ text: String) {
    findings.append(Finding(isError: false, description: text))
  }
}
