// The templates of well-known providers.
extension ProviderTemplate {
  /// The templates in the order of their listing.
  package static let all = [github, gitlab, google, entra, keycloak, auth0]

  /// GitHub refuses with status 200 and an `error` in the body.
  ///
  /// Its tokens have permissions instead of scopes, and a refresh ends the previous token.
  private static let github = ProviderTemplate(
    name: "github",
    title: "GitHub, by a GitHub App",
    notes: [
      "Register a GitHub App with user tokens that expire, and turn its device flow on.",
      "A browser login needs the app's client secret and the callback URL http://127.0.0.1/callback.",
    ],
    settings: [
      "kind": "oauth2",
      "issuer": "https://github.com/login/oauth",
      "discovery": "off",
      "token_endpoint": "https://github.com/login/oauth/access_token",
      "device_authorization_endpoint": "https://github.com/login/device/code",
      "userinfo_endpoint": "https://api.github.com/user",
      "id_field": "id",
      "invalid_grant_value": "bad_refresh_token",
      "refresh_ends_access_tokens": "true",
      "api_hosts": "api.github.com",
    ],
    settingsWithSecret: [
      "authorization_endpoint": "https://github.com/login/oauth/authorize",
      "client_authentication": "post",
    ]
  )

  /// GitLab gives refresh tokens without a request and does not know the scope `offline_access`.
  ///
  /// A refresh ends the previous token, and permanently drops the scopes that it does not name.
  private static let gitlab = ProviderTemplate(
    name: "gitlab",
    title: "GitLab.com, or your own GitLab",
    placeholders: [.host("host", "the host of your GitLab", standard: "gitlab.com")],
    notes: [
      "Add an application, not confidential, with the redirect URI http://127.0.0.1/callback.",
      "Give it the scopes openid, profile and email, and those that you need (--scope).",
    ],
    settings: [
      "kind": "oidc",
      "issuer": "https://{host}",
      "device_authorization_endpoint": "{issuer}/oauth/authorize_device",
      "scope": "openid profile email",
      "refresh_ends_access_tokens": "true",
      "refresh_scope": "whole",
    ],
    settingsWithSecret: ["client_authentication": "post"]
  )

  /// Google gives a refresh token for `access_type=offline`, and a second one only with consent.
  private static let google = ProviderTemplate(
    name: "google",
    title: "Google",
    needsSecret: true,
    notes: [
      "Make an OAuth client of the type Desktop app; Google demands its client secret.",
      "Name the scopes of the APIs that you need (--scope), and their hosts (--api-host).",
    ],
    settings: [
      "kind": "oidc",
      "issuer": "https://accounts.google.com",
      "redirect_uri": "http://127.0.0.1",
      "scope": "openid profile email",
      "authorization_parameters": "access_type=offline&prompt=consent",
      "revocation_ends": "all-logins",
    ],
    settingsWithSecret: ["client_authentication": "post"]
  )

  /// Entra ignores the port only for `http://localhost`.
  ///
  /// An access token is for one API. These scopes select Microsoft Graph, which also has the
  /// userinfo endpoint. `User.Read` is its scope for the person's own profile.
  private static let entra = ProviderTemplate(
    name: "entra",
    title: "Microsoft Entra ID",
    placeholders: [.uuid("tenant", "the directory (tenant) ID")],
    notes: [
      "Register an app with the platform Mobile and desktop applications and http://localhost.",
      "A device login needs the setting Allow public client flows.",
      "A token is for one API. whoami asks Microsoft Graph, which refuses tokens of your own API "
        + "(--scope): add a separate provider for that API.",
    ],
    settings: [
      "kind": "oidc",
      "issuer": "https://login.microsoftonline.com/{tenant}/v2.0",
      "redirect_uri": "http://localhost",
      "scope": "openid profile email offline_access User.Read",
      "api_hosts": "graph.microsoft.com",
    ]
  )

  /// If Keycloak revokes refresh tokens on use, it treats a second use as theft.
  private static let keycloak = ProviderTemplate(
    name: "keycloak",
    title: "Keycloak",
    placeholders: [
      .host("host", "the host of your Keycloak, with /auth if its URLs have it"),
      .word("realm", "the realm"),
    ],
    notes: [
      "Make a client without client authentication, with the standard flow and, if you like, the "
        + "device grant.",
      "Its valid redirect URI is http://127.0.0.1/callback.",
    ],
    settings: [
      "kind": "oidc",
      "issuer": "https://{host}/realms/{realm}",
      "scope": "openid profile email offline_access",
      "refresh_reuse": "revokes",
      "revocation_ends": "all-logins",
    ]
  )

  /// The issuer ends with a slash.
  ///
  /// A second use of a refresh token revokes its whole family.
  private static let auth0 = ProviderTemplate(
    name: "auth0",
    title: "Auth0",
    placeholders: [.host("domain", "the domain of your tenant, such as example.eu.auth0.com")],
    notes: [
      "Make a Native application with refresh token rotation and, if you like, the device code "
        + "grant; allow the callback URL http://127.0.0.1:8400/callback.",
      "For tokens of an API name its identifier (--audience), and allow offline access there.",
    ],
    settings: [
      "kind": "oidc",
      "issuer": "https://{domain}/",
      "redirect_uri": "http://127.0.0.1:8400/callback",
      "scope": "openid profile email offline_access",
      "refresh_reuse": "revokes",
      "revocation_ends": "all-logins",
    ]
  )
}
