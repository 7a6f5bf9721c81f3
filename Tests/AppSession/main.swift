import AuthSession
import Glibc

// An app as others write them: it holds a session over the machine's vault, does what the lines of
// its input say, and prints what came of each as a line. Arguments: the backend's URL, and the system
// password that the person types.

/// Writes a line at once: standard output is no terminal.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

/// The person at the machine, who always has the system password at hand.
struct Typist: PresencePresenter {
  let password: String

  func present(_ prompt: PresencePrompt) async {
    say("prompt \(prompt.purpose)")
    prompt.choosePassword()
    if let password = try? Password(password) { prompt.answer(password) }
  }
}

/// A state as one word, with who is signed in.
func word(_ state: AuthState) -> String {
  switch state {
  case .unauthenticated: "unauthenticated"
  case .authenticating: "authenticating"
  case .authenticated(let user): "authenticated \(user.email ?? "somebody")"
  case .presencePrompt: "prompt"
  case .locked: "locked"
  case .loginRequired: "login-required"
  case .offline: "offline"
  case .error(let error): "error \(error)"
  }
}

func perform(_ words: [String], _ session: AuthSession) async throws(AuthError) -> String {
  switch words[0] {
  case "restore": return word(try await session.restore())
  case "register":
    return try await session.register(email: words[1], password: try Password(words[2])).email ?? ""
  case "login":
    return try await session.login(email: words[1], password: try Password(words[2])).email ?? ""
  case "token": return try await session.accessToken().value
  case "protect":
    try await session.enablePresenceProtection()
    return ""
  case "unlock":
    try await session.unlock()
    return ""
  case "lock":
    try await session.lock()
    return ""
  case "logout": return "\(try await session.logout().isRevoked)"
  case "await":
    for await state in session.states where word(state).hasPrefix(words[1]) { break }
    return ""
  default: return "what?"
  }
}

let session = AuthSession(
  account: "me",
  provider: try AuthProvider.passwordBackend(
    CommandLine.arguments[1],
    name: "dev",
    environment: .development
  ),
  presenter: Typist(password: CommandLine.arguments[2])
)
while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  guard !words.isEmpty else { continue }
  do throws(AuthError) {
    say("done \(try await perform(words, session))")
  } catch {
    say("failed \(error.kind) \(error.recoverySuggestion ?? "")")
  }
}
