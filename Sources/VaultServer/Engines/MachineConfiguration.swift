package import Configuration
package import MachineFiles
internal import Synchronization
package import TokenVault

/// The administrator's configuration, as it is at each query.
///
/// Each query reads the files again, and so the engine need not watch them for changes. Their
/// parsed contents are kept as long as their bytes do not change: a refresh asks several times.
package final class MachineConfiguration: MachineRules {
  private struct Interpreted {
    let sources: [PolicyFiles.Source]
    let files: PolicyFiles
    let policy: Policy
  }

  private let files: MachineDirectory
  private let last = Mutex<Interpreted?>(nil)
  private let complaints = Mutex<[String: String]>([:])

  package init(_ files: MachineDirectory = MachineDirectory()) { self.files = files }

  package var policyFile: String? { files.policyFile }

  /// The policy.
  ///
  /// Without a file it is the default.
  package func policy() throws(ConfigurationError) -> Policy { try read().policy }

  package func locatedPolicy() throws(ConfigurationError) -> LocatedPolicy {
    let read = try read()
    let locations = Policy.Key.allCases.compactMap { key in
      read.files.location(of: key).map { (key, $0.description) }
    }
    return LocatedPolicy(read.policy, locations: Dictionary(locations) { $1 })
  }

  private func read() throws(ConfigurationError) -> Interpreted {
    do throws(ConfigurationError) {
      let sources = try files.policySources()
      if let last = last.withLock({ $0 }), last.sources == sources { return last }
      let files = try PolicyFiles(sources)
      let read = Interpreted(sources: sources, files: files, policy: try files.policy())
      complain(nil, about: self.files.policyFile)
      last.withLock { $0 = read }
      return read
    } catch {
      last.withLock { $0 = nil }
      complain("\(error)", about: files.policyFile)
      throw error
    }
  }

  package func isOfMachine(_ provider: Provider, named names: Set<ProviderName>) -> Bool {
    guard names.contains(provider.name) else { return false }
    return holds(provider.asWritten, in: ProviderFile.fileName(for: provider.name))
  }

  /// Whether `providers.d` holds exactly this provider, byte by byte, under any name.
  package func mayReachThisMachine(_ provider: Provider) -> Bool {
    let wanted = provider.asWritten
    // Nearly always it is the file of that name, and the others need not be read.
    let first = ProviderFile.fileName(for: provider.name)
    return holds(wanted, in: first)
      || MachineDirectory.read(providerNames()).contains { $0 != first && holds(wanted, in: $0) }
  }

  private func providerNames() -> [String] {
    do throws(ConfigurationError) {
      let names = try files.providerNames()
      complain(nil, about: files.providers)
      return names
    } catch {
      complain("\(error)", about: files.providers)
      return []
    }
  }

  /// Whether a file of `providers.d` holds exactly this provider.
  private func holds(_ wanted: Provider, in name: String) -> Bool {
    let file = files.providers + "/" + name
    do throws(ConfigurationError) {
      let found = try files.provider(name)
      complain(nil, about: file)
      return found?.hasSameSettings(as: wanted) ?? false
    } catch {
      complain("\(error)", about: file)
      return false
    }
  }

  // MARK: - The journal

  /// Logs the problem of a file once, and again only when it changes.
  private func complain(_ text: String?, about file: String) {
    let isNew = complaints.withLock { known in
      guard known[file] != text else { return false }
      known[file] = text
      return text != nil
    }
    if isNew, let text { Journal.note(text) }
  }
}
