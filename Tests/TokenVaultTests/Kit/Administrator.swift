import Configuration
import Synchronization
import TokenVault

/// An administrator who changes the rules whenever a test says so.
final class Administrator: MachineRules {
  private let state = Mutex<
    (policy: Result<Policy, ConfigurationError>, here: [[UInt8]], readings: Int)
  >((.success(Policy()), [], 0))

  var policyFile: String? { Policy.file }
  /// How often the files were read.
  var readings: Int { state.withLock(\.readings) }

  func policy() throws(ConfigurationError) -> Policy {
    try state.withLock { state in
      state.readings += 1
      return state.policy
    }.get()
  }

  func mayReachThisMachine(_ provider: Provider) -> Bool {
    state.withLock { $0.here.contains(provider.asWritten.canonicalForm) }
  }

  func locatedPolicy() throws(ConfigurationError) -> LocatedPolicy { LocatedPolicy(try policy()) }

  func isOfMachine(_ provider: Provider, named names: Set<ProviderName>) -> Bool {
    mayReachThisMachine(provider) && names.contains(provider.name)
  }

  func write(_ text: String) {
    let policy: Result<Policy, ConfigurationError>
    do throws(ConfigurationError) {
      policy = .success(try Policy(bytes: Array(text.utf8), file: Policy.file))
    } catch {
      policy = .failure(error)
    }
    state.withLock { $0.policy = policy }
  }

  func add(_ provider: Provider) { state.withLock { $0.here = [provider.canonicalForm] } }
  func removeProviders() { state.withLock { $0.here = [] } }
}
