// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file

let vaultCallSecrets: Set<String> = [
  "client_secret",
  "password",
  "query",
  "text",
]

let vaultReplySecrets: Set<String> = [
  "client_secret",
  "refresh_token",
]
