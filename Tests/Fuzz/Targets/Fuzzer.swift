/// One fuzzer: the call of a shipped function with bytes from outside.
struct Fuzzer: Sendable {
  /// The name of its corpus, and its value for `--target=`.
  let name: String
  /// The most bytes that can reach the function in the shipped programs.
  let maximum: Int
  /// A file of `Tests/Fuzz/Dictionaries`, without its ending.
  let dictionary: String?
  /// The limit of memory, in addition to the size of the input.
  let memory: Int64
  /// Calls the function.
  ///
  /// An error is a refusal, which is right for most inputs.
  let body: @Sendable (inout Input) throws -> Void

  init(
    _ name: String,
    maximum: Int,
    dictionary: String? = nil,
    memory: Int64 = 4 << 20,
    _ body: @escaping @Sendable (inout Input) throws -> Void
  ) {
    self.name = name
    self.maximum = maximum
    self.dictionary = dictionary
    self.memory = memory
    self.body = body
  }

  /// Runs the function once.
  func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    try? body(&input)
  }
}

extension Fuzzer {
  /// All fuzzers.
  ///
  /// `Scripts/fuzz` takes the names from here.
  static let all: [Fuzzer] = [
    .json, .vaultCalls, .vaultReplies, .helperCalls, .helperReplies,
    .sealedBoxes, .boxContexts, .slots, .outcomes, .tokenFiles,
    .tokenAnswers, .userinfo, .verifications, .deviceAuthorization, .passwordBackend,
    .metadata, .keys, .idTokens, .idTokenParts, .idTokenClaims,
    .redirectRequests, .redirectAnswers,
    .providerFiles, .policyFiles, .providerForms, .hostFiles, .toolRequests,
    .resources, .secretService,
    .prints, .storeRows, .storeFiles, .machineKeySlots, .machineKeyStates, .counterLedgers,
    .backupHeaders,
  ]

  /// The fuzzer of this process.
  static let chosen: Fuzzer? = {
    let option = "--target="
    let name = CommandLine.arguments.last { $0.hasPrefix(option) }?.dropFirst(option.count)
    return all.first { name?.elementsEqual($0.name) ?? false }
  }()
}
