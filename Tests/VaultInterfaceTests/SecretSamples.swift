import HelperInterface
import Varlink

/// Messages of the helper for the TPM and for security keys.
func secretSamples() throws -> [Sample] {
  try sealingSamples() + counterSamples() + keySecretSamples()
}

private func sealingSamples() throws -> [Sample] {
  try [
    call(GetTPMCall()),
    reply(to: GetTPMCall.self, .done(maker: "INTC", version: "600.18.0.0"), isVariant: true),
    reply(to: GetTPMCall.self, .failed(.notPermitted, detail: "d"), isVariant: true),
    call(SealSecretCall(secret: secret("secret"), authorization: secret("authorization"))),
    reply(
      to: SealSecretCall.self,
      .done(parentName: [0, 11, 1], privatePart: [0, 1, 2], publicPart: [0, 1, 3]),
      isVariant: true
    ),
    reply(to: SealSecretCall.self, .failed(.ownerPassword, detail: "d"), isVariant: true),
    call(
      OpenSecretCall(
        parentName: [0, 11, 1],
        privatePart: [0, 1, 2],
        publicPart: [0, 1, 3],
        authorization: secret("authorization")
      )
    ),
    reply(to: OpenSecretCall.self, .done(secret: secret("secret")), isVariant: true),
    reply(to: OpenSecretCall.self, .failed(.anotherTPM), isVariant: true),
    reply(
      to: OpenSecretCall.self,
      .failed(.unexpected, detail: "0x00000101"),
      isVariant: true
    ),
  ]
}

private func counterSamples() throws -> [Sample] {
  try [
    call(
      DefineCounterCall(
        index: 25_165_824,
        authorization: secret("authorization"),
        parentName: [0, 11, 1]
      )
    ),
    reply(to: DefineCounterCall.self, .done(index: 25_165_824, value: 1), isVariant: true),
    reply(to: DefineCounterCall.self, .failed(.busy, detail: "d"), isVariant: true),
    call(
      ReadCounterCall(
        index: 25_165_824,
        authorization: secret("authorization"),
        parentName: [0, 11, 1]
      )
    ),
    reply(to: ReadCounterCall.self, .done(index: 25_165_824, value: 7), isVariant: true),
    reply(to: ReadCounterCall.self, .failed(.noCounter, detail: "d"), isVariant: true),
    call(
      IncrementCounterCall(
        index: 25_165_824,
        authorization: secret("authorization"),
        parentName: [0, 11, 1]
      )
    ),
    reply(to: IncrementCounterCall.self, .done(index: 25_165_824, value: 8), isVariant: true),
    reply(
      to: IncrementCounterCall.self,
      .failed(.wrongAuthorization, detail: "d"),
      isVariant: true
    ),
    call(
      ConfirmCounterCall(
        index: 25_165_824,
        authorization: secret("authorization"),
        nextAuthorization: secret("next"),
        parentName: [0, 11, 1]
      )
    ),
    reply(to: ConfirmCounterCall.self, .done(index: 25_165_824, value: 9), isVariant: true),
    reply(to: ConfirmCounterCall.self, .failed(.damaged, detail: "d"), isVariant: true),
    call(
      RemoveCounterCall(
        index: 25_165_824,
        authorization: secret("authorization"),
        parentName: [0, 11, 1]
      )
    ),
    reply(to: RemoveCounterCall.self, .done, isVariant: true),
    reply(to: RemoveCounterCall.self, .failed(.absent, detail: "d"), isVariant: true),
  ]
}

private func keySecretSamples() throws -> [Sample] {
  try [
    call(GetKeyCall()),
    reply(to: GetKeyCall.self, .done(needsPin: true, retries: 8), isVariant: true),
    reply(to: GetKeyCall.self, .failed(.noKey, detail: "d"), isVariant: true),
    call(MakeKeySecretCall(keyCredentials: [[1, 2, 3], [0]], keyPin: secret("1234"))),
    reply(to: MakeKeySecretCall.self, .touch, isVariant: true),
    reply(
      to: MakeKeySecretCall.self,
      .done(parameters: [1, 2, 3], secret: secret("secret")),
      isVariant: true
    ),
    reply(
      to: MakeKeySecretCall.self,
      .failed(.wrongPin, retries: 7, detail: "d"),
      isVariant: true
    ),
    call(OpenKeySecretCall(slots: [[1, 2, 3], [0]], keyPin: secret("1234"))),
    reply(to: OpenKeySecretCall.self, .touch, isVariant: true),
    reply(
      to: OpenKeySecretCall.self,
      .done(place: 1, secret: secret("secret")),
      isVariant: true
    ),
    reply(
      to: OpenKeySecretCall.self,
      .failed(.pinNeeded, retries: 8, detail: "d"),
      isVariant: true
    ),
  ]
}
