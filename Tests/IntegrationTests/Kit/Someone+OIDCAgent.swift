extension Someone {
  /// Starts oidc-agent's own client, oidc-token, which asks at a socket.
  func oidcToken(_ words: String..., at socket: String) throws -> Run {
    try Run(
      "/usr/bin/setpriv",
      become + ["/usr/bin/oidc-token"] + words,
      environment: ["PATH=/usr/bin:/bin", "OIDC_SOCK=\(socket)"]
    )
  }
}
