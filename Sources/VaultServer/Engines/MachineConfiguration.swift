package import Configuration
package import MachineFiles
internal import Synchronization
package import System
package import TokenVault

/// The administrator's configuration, as it is at each query.
///
/// Each query reads the files again, and so the engine need not watch them for changes. What they
/// mean is kept as long as their bytes do not change: a refresh asks several times.
package final class MachineConfiguration: MachineRules {
  private struct Found {
    let files: PolicyFiles
    let policy: Policy
  }

  private struct Reading {
    let sources: [PolicyFiles.Source]
    let result: Result<Found, ConfigurationError>
  }

  /// How long the text of a file applies after the file was emptied or removed, in seconds.
  ///
  /// A program that writes a file in place first empties it, or renames it first. Without this
  /// time, a request during the write would be judged without the administrator's rules.
  private static let writingTime: Int64 = 2

  private let files: MachineDirectory
  private let last = Mutex<Reading?>(nil)
  private let complaints = Mutex<[String: String]>([:])
  private let now: @Sendable () -> WallTime

  package init(
    _ files: MachineDirectory = MachineDirectory(),
    now: @escaping @Sendable () -> WallTime = { .now }
  ) {
    (self.files, self.now) = (files, now)
  }

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

  private func read() throws(ConfigurationError) -> Found {
    var sources: [PolicyFiles.Source]
    do throws(ConfigurationError) { sources = try files.policySources() } catch {
      last.withLock { $0 = nil }
      complain("\(error)", about: files.policyFile)
      throw error
    }
    let known = last.withLock { $0 }
    if let known, known.sources != sources { sources = withLostText(of: known.sources, sources) }
    if let known, known.sources == sources { return try known.result.get() }
    let result = Result { () throws(ConfigurationError) in
      let files = try PolicyFiles(sources)
      return Found(files: files, policy: try files.policy())
    }
    last.withLock { $0 = Reading(sources: sources, result: result) }
    let problem: String? = if case .failure(let error) = result { "\(error)" } else { nil }
    complain(problem, about: files.policyFile)
    return try result.get()
  }

  /// The sources, with the known text of each file that has lost all of its text just now.
  private func withLostText(
    of known: [PolicyFiles.Source],
    _ sources: [PolicyFiles.Source]
  ) -> [PolicyFiles.Source] {
    let lost = known.filter { source in
      !source.bytes.isEmpty && sources.first { $0.file == source.file }?.bytes.isEmpty ?? true
    }
    // A time in the future is no change of just now: the clock was set.
    guard !lost.isEmpty, let change = files.lastChange(of: sources),
      (0..<Self.writingTime).contains(now().seconds - change.seconds)
    else { return sources }
    let others = sources.filter { source in !lost.contains { $0.file == source.file } }
    return files.inOrder(others + lost)
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
