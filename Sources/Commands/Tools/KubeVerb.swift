internal import Configuration
internal import ToolProtocols
internal import VaultInterface

/// `kube-credential`: a credential plugin of kubectl and other clients of Kubernetes.
enum KubeVerb {
  static let verb = Verb(
    "kube-credential",
    [.namedAccount],
    options: [TokenVerbs.scope, TokenVerbs.audience],
    summary: "print an account's token in kubectl's format",
    details: """
      For users[].user.exec of a kubeconfig: command thumblatch, args [kube-credential, ACCOUNT], \
      interactiveMode Never. The token goes to the cluster of that user in the kubeconfig. \
      Versions v1 and v1beta1 of client.authentication.k8s.io are supported.
      """,
    isForTools: true
  ) { session throws(CommandError) in
    let account = try session.accountName(session.arguments.operands[0])
    let credential: KubeCredential
    do throws(ToolRequestError) {
      credential = try KubeCredential(session.environment(KubeCredential.variable))
    } catch {
      throw CommandError(error)
    }
    if let server = credential.server {
      try session.demandAllowed(try? TokenHost(ofURL: server), of: account)
    }
    let token = try session.toolToken(of: account) { prompt in
      AccessTokenCall(
        account: account,
        prompt: prompt,
        scope: session.arguments.value(TokenVerbs.scope.name),
        audience: session.arguments.value(TokenVerbs.audience.name),
        reason: KubeCredential.reason,
        // A client keeps the token until its end, and calls again only after a 401. kubectl calls
        // again so soon that the vault treats the call as one of a second helper.
        helper: true
      )
    }
    try session.output.data(bytes: credential.answer(token))
  }
}
