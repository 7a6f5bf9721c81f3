package import Configuration
internal import GTK

/// A template of a provider, in the language of the person and in what this app has.
///
/// The texts of a template are for the command line, and name its options. A template without words
/// here keeps its own texts.
package struct TemplateWords {
  package let title: String
  /// What the person has to do at the provider first.
  package let notes: [String]
  private let fields: [String: String]

  /// What a part of the settings means that only the person knows.
  package func field(_ placeholder: ProviderTemplate.Placeholder) -> String {
    fields[placeholder.name]
      ?? placeholder.meaning.prefix(1).uppercased() + placeholder.meaning.dropFirst()
  }

  /// Makes the words of a template.
  package init(of template: ProviderTemplate) {
    self = Self.known(template) ?? Self(template.title, template.notes)
  }

  private init(_ title: String, _ notes: [String], _ fields: [String: String] = [:]) {
    (self.title, self.notes, self.fields) = (title, notes, fields)
  }

  private static func known(_ template: ProviderTemplate) -> TemplateWords? {
    switch template.name {
    case "github":
      TemplateWords(
        tr("GitHub, with a GitHub App"),
        [
          tr("Register a GitHub App with user tokens that expire, and turn its device flow on."),
          tr(
            "A sign-in in the browser needs the client secret of the app and the callback URL %s.",
            callback
          ),
        ]
      )
    case "gitlab":
      TemplateWords(
        tr("GitLab.com, or your own GitLab"),
        [
          tr("Add an application, not confidential, with the redirect URI %s.", callback),
          tr("Give it the scopes openid, profile and email."), otherScopes,
        ],
        ["host": tr("The host of your GitLab")]
      )
    case "google":
      TemplateWords(
        template.title,
        [
          tr("Make an OAuth client of the type Desktop app. Google demands its client secret."),
          otherScopes,
        ]
      )
    case "entra": entra(template.title)
    case "keycloak": keycloak(template.title)
    case "auth0": auth0(template.title)
    default: nil
    }
  }

  private static let callback = "http://127.0.0.1/callback"

  private static var otherScopes: String {
    tr("For other scopes or APIs, set the provider up in a terminal: thumblatch provider add.")
  }

  private static func entra(_ title: String) -> TemplateWords {
    TemplateWords(
      title,
      [
        tr(
          "Register an app with the platform Mobile and desktop applications and http://localhost."
        ),
        tr("A sign-in with a code needs the setting Allow public client flows."),
        tr("Its tokens are for Microsoft Graph."), otherScopes,
      ],
      ["tenant": tr("The directory (tenant) ID")]
    )
  }

  private static func keycloak(_ title: String) -> TemplateWords {
    TemplateWords(
      title,
      [
        tr("Make a client without client authentication, with the standard flow."),
        tr("For a sign-in with a code it needs the device grant too."),
        tr("Its valid redirect URI is %s.", callback),
      ],
      [
        "host": tr("The host of your Keycloak, with /auth if its URLs have it"),
        "realm": tr("The realm"),
      ]
    )
  }

  private static func auth0(_ title: String) -> TemplateWords {
    TemplateWords(
      title,
      [
        tr("Make a Native application with refresh token rotation."),
        tr("For a sign-in with a code it needs the device code grant too."),
        tr("Allow the callback URL %s.", "http://127.0.0.1:8400/callback"), otherScopes,
      ],
      ["domain": tr("The domain of your tenant, such as example.eu.auth0.com")]
    )
  }
}
