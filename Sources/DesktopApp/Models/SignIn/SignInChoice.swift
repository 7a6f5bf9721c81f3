internal import Configuration
internal import GTK
internal import PlainText
internal import Providers
internal import System

/// A place where a person can sign in.
struct SignInChoice: Sendable {
  let title: String
  let detail: String
  /// Where its settings come from; `nil` if its file cannot be used.
  let source: SignInForm.Source?
  /// The name that a new account gets, unless there is one of that name.
  let account: String

  /// The providers of the machine and of the person.
  static func installed() throws(ProviderFileError) -> [SignInChoice] {
    let directories = try ProviderDirectories(environment: { ThisProcess.environment($0) })
    var choices: [SignInChoice] = []
    for (name, _) in try directories.names() {
      do throws(ProviderFileError) {
        let provider = try directories.read(name).provider
        guard provider.kind != .static else { continue }
        choices.append(
          SignInChoice(
            title: name.text,
            detail: PlainText.line(provider.issuer.text),
            source: .installed(provider),
            account: name.text
          )
        )
      } catch {
        choices.append(
          SignInChoice(
            title: name.text,
            detail: Trouble(english: "\(error)", advice: error.remedy).text,
            source: nil,
            account: name.text
          )
        )
      }
    }
    return choices
  }

  /// The providers that the person can set up.
  static let new =
    ProviderTemplate.all.map { template in
      SignInChoice(
        title: TemplateWords(of: template).title,
        detail: template.needsSecret
          ? tr("With a client ID and a client secret that you get there")
          : tr("With a client ID that you get there"),
        source: .template(template),
        account: template.name
      )
    } + [
      SignInChoice(
        title: tr("Another OpenID Connect provider"),
        detail: tr("With its address and a client ID that you get there"),
        source: .address(.oidc),
        account: ""
      ),
      SignInChoice(
        title: tr("A server that takes e-mail and password"),
        detail: tr("With its address"),
        source: .address(.passwordBackend),
        account: ""
      ),
    ]
}
