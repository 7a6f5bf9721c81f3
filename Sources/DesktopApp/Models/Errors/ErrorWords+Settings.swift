internal import GTK

// Errors of the files of providers and of the policy, with what to do about them.
extension ErrorWords {
  static let settings = [
    TextForm("no directory for provider files: HOME is not set to an absolute path"),
    TextForm("no such provider: %s"),
    TextForm("other users can change %s"),
    TextForm("%s holds a client_secret, and other users can read it"),
    TextForm("your provider %s has other settings than the provider of %s in the backup"),
    TextForm("%s cannot be read: %s"),
    TextForm("%s is not a regular file"),
    TextForm("%s is larger than %s bytes"),
    // Sent in parts.
    TextForm(
      "\"%s\" is not an account name: use lower-case letters, digits, '.', '_' and '-', at most %s, starting with a letter or digit"
    ),
    // Sent in parts.
    TextForm(
      "\"%s\" is not a %s name: use lower-case letters, digits, '.', '_' and '-', at most %s, starting with a letter or digit"
    ),
    TextForm("must be %s, not \"%s\""),
    TextForm("must be %s"),
    TextForm("unknown key"),
    TextForm("does not belong to kind = %s, but to %s"),
    TextForm("is missing"),
    TextForm("is set a second time"),
    TextForm("unknown section [%s]"),
    TextForm("has no section [%s]"),
    TextForm("section [%s] occurs a second time"),
    TextForm("is neither a [Section], a key = value, a # comment nor empty"),
    TextForm("a key = value stands before the first [Section]"),
    TextForm("holds a control character or is not UTF-8"),
    TextForm("is larger than %s bytes"),
    TextForm("cannot be read: %s"),
    TextForm("the stored provider settings are damaged"),
    TextForm("set HOME, or XDG_CONFIG_HOME"),
    TextForm("correct the file"),
    TextForm("error_field and invalid_grant_value"),
    TextForm("%s has other certificates: move it away, and try again"),
    TextForm("another program changes files in %s"),
    TextForm("find out who changed it; then use chown, and chmod go-w"),
    TextForm("rename %s, or remove it"),
  ]

  static let rules = [
    TextForm("at least one account"),
    TextForm("scopes, separated by spaces"),
    TextForm("any, none, or the names of providers, separated by spaces"),
    TextForm("one of at most %s rules for callers"),
    TextForm("one line without spaces around it"),
    TextForm("the only key of unit, user-unit, sandbox and socket"),
    TextForm("the name of a unit that ends with .service or .scope, with one * at most"),
    TextForm("audiences, separated by spaces"),
    TextForm("a whole number from %s to %s"),
    TextForm("certificates only: this holds a private key"),
    TextForm("certificates in PEM form"),
    TextForm("certificates in PEM form, from BEGIN CERTIFICATE to END CERTIFICATE"),
    TextForm("a file's path"),
    TextForm("https, or http to this machine itself"),
    TextForm("host or host:port, several separated by ';'; no scheme, path or '*'"),
    TextForm("at most 32 hosts"),
    TextForm("an https:// URL with only host, port and path (http:// only on localhost)"),
    TextForm("parameters that the request does not set itself"),
    TextForm("at most %s parameters"),
    TextForm("name=value, several joined by '&', each name once, values percent-encoded"),
    TextForm("1 to 256 printable ASCII characters without spaces"),
    TextForm("a path that begins with / and holds no query, '..' or '//'"),
    TextForm("a field name of at most 64 letters, digits, '_', '-' and '.'"),
    TextForm("sha256// and the base64 of 32 bytes, several separated by ';'"),
    TextForm("at most %s pins"),
    TextForm("the number of a user (id -u NAME), several separated by ';'"),
    TextForm("at most %s users"),
    TextForm("1 to %s scopes separated by spaces, without quotes and backslashes"),
    TextForm("an absolute URI without a fragment, several separated by ';'"),
    TextForm("at most %s resources"),
    TextForm("one of %s, several separated by ';'"),
    TextForm("a whole https:// URL without user and fragment"),
    // Sent in parts.
    TextForm(
      "a whole https:// URL without user and fragment; http:// only on this machine, for an issuer there"
    ),
    TextForm("at most the %ss of %s"),
    TextForm("seconds from %ss to %ss"),
    TextForm("post or basic where there is a client_secret"),
    TextForm("none where there is no client_secret"),
    TextForm("one that holds openid; kind = oauth2 does without it"),
    TextForm("one URL without a query if resource_only = true"),
    TextForm("left out where discovery = off"),
    TextForm("given where discovery = off"),
    TextForm("1 to 512 printable ASCII characters without spaces"),
    TextForm("absent if resource_only = true"),
    TextForm("a path, unless refresh_token_field and access_token_field have the same value"),
    TextForm("http:// and 127.0.0.1, [::1] or localhost, with an optional port from 1024 and path"),
    TextForm("http://, https://, socks5:// or socks5h:// with only host and port"),
    TextForm("a name that no other field has"),
  ]
}
