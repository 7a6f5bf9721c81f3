import AuthSession

// A command-line program as others write them: it unlocks the account `me` at its terminal.

let session = AuthSession(account: "me", presenter: TerminalPresenter())
do throws(AuthError) {
  try await session.unlock(reason: "to show your mail")
  print("unlocked")
} catch {
  print("failed \(error.kind)")
}
