package import PresenceTerms

// The additional steps of a prompt that several devices may answer.
extension PromptBook {
  /// Continues with an armed prompt by another device.
  package mutating func go(on name: String, by method: PresenceMethod) {
    guard case .armed(let armed)? = prompts[name]?.state, armed.isDevice, method.isDevice else {
      return
    }
    prompts[name]?.state = .armed(method)
  }

  /// Records that a device cannot pass an armed prompt, which continues with another device.
  package mutating func rule(out method: PresenceMethod, of name: String) {
    prompts[name]?.impossible.insert(method)
  }
}
