internal import Configuration
internal import SecretMemory

extension Fuzzer {
  /// A file of `providers.d`.
  ///
  /// The file in its `ca` setting has the contents of `certificates` here.
  static let providerFiles = Fuzzer(
    "provider-files",
    maximum: 64 * 1024,
    dictionary: "provider"
  ) { input in
    let text = try input.secret()
    let file = "/etc/thumblatch/providers.d/dev.conf"
    let provider = try ProviderFile.parse(bytes: text.bytes, file: file) { _ in certificates }
    let written = try ProviderFile.contents(for: provider, certificateFile: "ca.pem")
    let again = try? ProviderFile.parse(bytes: written, file: file) { _ in certificates }
    demand(again == provider, "a provider file that was written is another when it is read again")
    let form = provider.canonicalForm
    let bound = try? Provider(
      name: provider.name,
      canonicalForm: form,
      clientSecret: provider.oauth?.clientSecret
    )
    demand(bound?.canonicalForm == form, "a canonical form is another when it is read again")
  }

  /// The administrator's policy, and a user's own.
  static let policyFiles = Fuzzer("policy-files", maximum: 64 * 1024, dictionary: "provider") {
    let bytes = $0.bytes()
    if let own = try? UserRules(bytes: bytes) {
      demand(Array(own.text.utf8) == bytes, "own rules have two spellings")
    }
    let policy = try Policy(bytes: bytes, file: Policy.file)
    demand(policy.tightened(by: UserRules()) == policy, "no rules tighten a policy")
  }

  /// A provider as an account keeps it.
  static let providerForms = Fuzzer("provider-forms", maximum: 48 * 1024) { input in
    let bytes = input.bytes()
    let provider = try Provider(name: ProviderName("dev"), canonicalForm: bytes)
    demand(provider.oauth?.clientSecret == nil, "a canonical form brought a client secret")
    let again = try? Provider(name: provider.name, canonicalForm: provider.canonicalForm)
    demand(again == provider, "a canonical form that was written is another when it is read again")
  }
}

private let certificates = """
  -----BEGIN CERTIFICATE-----
  AAAA
  -----END CERTIFICATE-----

  """
