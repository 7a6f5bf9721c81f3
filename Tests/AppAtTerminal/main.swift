import Glibc
import ThumblatchKit

// A command-line program as another developer would write it. It unlocks the account `me` at its
// terminal. With `password` it reads a password there and prints its length. With `desktop` and a
// reason it unlocks the account where its person is, and with `token` it gets an access token. With
// `leave` it exits after a line of its standard input, while its prompt is open. With `watch` it
// runs until the dialogue at the desktop has returned.

/// Shows the prompt at the desktop, and reports when the call has returned.
private struct WatchedPresenter: PresencePresenter {
  let returned: AsyncStream<Never>.Continuation

  func present(_ prompt: PresencePrompt) async {
    await DesktopPresenter().present(prompt)
    returned.finish()
  }
}

do throws(AuthError) {
  if CommandLine.arguments.dropFirst().first == "password" {
    let first = try await Password.read("Password of ada: ")
    print("isEmpty \(first.isEmpty)")
    let second = try await Password.read()
    print("read \(second)")
    let session = AuthSession(
      account: "other",
      provider: try .passwordBackend(CommandLine.arguments[2], environment: .development)
    )
    let user = try await session.login(email: "me@example.org", password: first)
    print("signed in as \(user.email ?? "nobody")")
  } else if CommandLine.arguments.dropFirst().first == "token" {
    let configuration = AuthConfiguration(presenceReason: CommandLine.arguments[2])
    let session = AuthSession(
      account: "me",
      configuration: configuration,
      presenter: DesktopPresenter()
    )
    print("got a \(try await session.accessToken().type) token")
  } else if CommandLine.arguments.dropFirst().first == "desktop" {
    let session = AuthSession(account: "me", presenter: DesktopPresenter())
    try await session.unlock(reason: CommandLine.arguments[2])
    print("unlocked")
  } else if CommandLine.arguments.dropFirst().first == "watch" {
    let (dialogue, returned) = AsyncStream.makeStream(of: Never.self)
    let session = AuthSession(account: "me", presenter: WatchedPresenter(returned: returned))
    do throws(AuthError) {
      try await session.unlock(reason: "to show your mail")
      print("unlocked")
    } catch {
      print("failed \(error.kind)")
    }
    for await _ in dialogue {}
    print("the dialogue has returned")
  } else {
    if CommandLine.arguments.dropFirst().first == "leave" {
      Task.detached {
        _ = readLine()
        exit(0)
      }
    }
    let session = AuthSession(account: "me", presenter: TerminalPresenter())
    try await session.unlock(reason: "to show your mail")
    print("unlocked")
  }
} catch {
  print("failed \(error.kind)")
}
