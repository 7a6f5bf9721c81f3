// Written by Scripts/interface from io.thumblatch.Helper.varlink: change that file instead.
// swift-format-ignore-file
package import Varlink
internal import PresenceTerms

extension VarlinkInterface {
  /// The interface `io.thumblatch.Helper`.
  package static let helper = VarlinkInterface(
    name: "io.thumblatch.Helper",
    description: helperDescription,
    maximumMessage: 98304,
    callSecrets: ["authorization", "body", "credentials", "key", "key_pin", "next_authorization", "print", "secret", "text"],
    replySecrets: ["body", "print", "secret"]
  )
}

/// The file `io.thumblatch.Helper.varlink`, byte for byte.
let helperDescription = #"""
  # What the engine asks of its helper processes, over one socket each (descriptor 0 of a child).
  # The helper ends when the socket closes, except that an exchange is finished first.
  # Messages are at most 98304 bytes with their NUL: a slot of 64 KiB fits in base64.
  #
  # A comment line in square brackets marks the member below it:
  # [secret]: the engine and its helpers keep the value in locked memory, and never print it.
  # [base64]: the text stands for bytes (RFC 4648, section 4, with padding).
  # [true if absent], [false if absent], [empty if absent]: what it means that the member is not there.
  # [always sent]: this version sends it even so.
  # [word of TYPE or WORD]: the text is a word of this type, and an unknown one is taken for this word.
  # [variant]: the value decides which of the marked members are there.
  # [of VALUE]: the member is there with this value. [maybe of VALUE]: it may be there.
  interface io.thumblatch.Helper

  # A method of proving presence.
  type PresenceMethod (
    # A finger on the reader.
    fingerprint,
    # A touch of an enrolled security key.
    key,
    # The password of the system user.
    password
  )

  # How the person touches a reader (FpScanType).
  type ScanType (
    # The finger lies on the reader.
    press,
    # The finger moves over the reader.
    swipe
  )

  # What to do differently after a bad scan (FpDeviceRetry).
  type ScanHint (
    # Leave the finger on the reader longer.
    too_short,
    # Put the finger on the middle of the reader.
    center_finger,
    # Lift the finger and touch again.
    remove_finger,
    # Touch once more. A client takes an unknown word for this one.
    general
  )

  # How an exchange ended.
  type ExchangeOutcome (
    # The request's first byte is about to be sent. Another reply follows.
    begun,
    # The outcome lies in the slot, durable.
    done,
    # The slot could not be written.
    sealed,
    # Without a slot: a whole answer.
    answered,
    # Without a slot: nothing of the request was sent.
    not_sent,
    # The request may have been received, and no whole answer came. A slot is as it was.
    lost
  )

  # How a client's request ended.
  type RequestOutcome (
    # A whole answer.
    answered,
    # Nothing of the request was sent.
    not_sent,
    # The request may have been received, and no whole answer came.
    lost
  )

  # Why an HTTP request has no answer.
  type ExchangeFailure (
    # The address of the host was not found.
    resolve,
    # No connection.
    connect,
    # The machine is there, and no program listens at the port.
    refused,
    # A program took the connection and did not answer in time. Nothing was sent.
    silent,
    # TLS failed for any other reason than these.
    tls,
    # The certificate is of an authority that is not trusted.
    authority,
    # The certificate has expired.
    expired,
    # The certificate is not valid yet.
    not_yet_valid,
    # The certificate is of another host.
    name,
    # The key of the server is not pinned.
    pin,
    # The request took too long.
    timeout,
    # The answer is longer than was asked for.
    too_large,
    # The address is of this machine or of its link, where the request may not go.
    local,
    # A program that is not the provider's listens at the loopback address. A slot says
    # `listener 1000`.
    listener,
    # Anything else.
    other
  )

  # What happens in a check.
  type HelperCheckStep (
    # The reader is armed.
    ready,
    # The reader waits for a touch. Before `ready`: it is busy and is tried again.
    waiting,
    # The reader could not see the finger well.
    retry,
    # A question to show. Answer it with Respond.
    ask,
    # With `more`: what a module of the password's stack says while it works, or beside the right password.
    says,
    # The check passed.
    matched,
    # Another finger, or a wrong password.
    not_matched,
    # There was no decision.
    failed
  )

  # What happens in an enrollment.
  type HelperEnrollStep (
    # The reader is armed.
    ready,
    # The reader waits for a touch.
    waiting,
    # One more touch is done.
    stage,
    # The last touch does not count.
    retry,
    # A former print is not on the reader any longer.
    removed,
    # The finger is enrolled.
    done,
    # The enrollment was given up.
    failed
  )

  # Why a presence check was not passed.
  type PresenceOutcome (
    # The person cancelled, or the caller disconnected.
    cancelled,
    # The person chose the password instead.
    password_chosen,
    # There is no reader, or it cannot be used.
    not_available,
    # No finger is enrolled.
    not_enrolled,
    # Too many fingers did not match, so only the password is accepted.
    locked_out,
    # Another finger, or a wrong password.
    no_match,
    # The person did not answer in time.
    timed_out,
    # The reader or the prompt is in use.
    busy,
    # The system refuses this user even with the right password.
    denied
  )

  # What became of a print that was to be deleted on its reader.
  type PrintDeletion (
    # The reader does not have it any longer.
    deleted,
    # Its reader stores no prints.
    not_stored,
    # It may still be on its reader.
    left
  )

  # How the fingers that the desktop has enrolled are seen.
  type EnrolledSource (
    # There are none, or there is no fprintd.
    none,
    # fprintd could not be asked: that says nothing of the fingers.
    unknown,
    # By their prints, in fprintd's own files, read as root.
    prints,
    # By their names, which fprintd tells over the bus.
    names
  )

  # How a request to the TPM ended.
  type SecretOutcome (
    # The TPM did it.
    done,
    # It did not.
    failed
  )

  # Why the TPM did not do what it was asked.
  type SecretFailure (
    # There is no device, or it is no TPM.
    absent,
    # The user of the helper may not open the device.
    not_permitted,
    # The TPM is not the one of the storage key's name, or it was cleared, or something between answers
    # in its name.
    another_tpm,
    # The owner's password is set, and no storage key stands at 0x81000001.
    owner_password,
    # The authorization value is not the one of the secret or the counter.
    wrong_authorization,
    # The sealed bytes are damaged.
    damaged,
    # The TPM is busy, or limits its writes.
    busy,
    # The TPM refuses authorizations after wrong ones of others.
    locked_out,
    # There is no counter at this index.
    no_counter,
    # There is no room for a counter.
    no_room,
    # The index of the new counter is taken.
    index_taken,
    # Another response, whose code is in `detail`.
    unexpected
  )

  # What happens while a security key makes a secret.
  type KeySecretStep (
    # The key waits for a touch.
    touch,
    # The secret is made.
    done,
    # It was given up.
    failed
  )

  # Why a security key made no secret.
  type KeySecretFailure (
    # libfido2 is missing, or is another version.
    no_library,
    # None is plugged in.
    no_key,
    # The key made none of the credentials, or was reset.
    another_key,
    # More than one is plugged in.
    several_keys,
    # The key holds one of the credentials that it must not hold yet.
    already_added,
    # The key has no hmac-secret.
    no_secret,
    # The key wants its PIN.
    pin_needed,
    # The PIN was wrong.
    wrong_pin,
    # The key accepts a PIN only after it was unplugged.
    pin_blocked_until_replugged,
    # The key accepts no PIN until it is reset.
    pin_blocked,
    # The key has no PIN, and the slot needs one.
    no_pin,
    # The key verifies its person always, and the slot was made without that.
    always_verifies,
    # The key did not recognize its person.
    not_verified,
    # The key was not touched in time.
    timed_out,
    # The engine ended it.
    cancelled,
    # The key was unplugged, or does not answer.
    removed,
    # The user of the helper may not open the key.
    not_permitted,
    # Another response, whose code is in `detail`.
    unexpected
  )

  # One HTTP request. A slot's descriptor comes with the first byte of the message (SCM_RIGHTS)
  # where `key` is set: the outcome is then sealed into the slot and made durable before `done`.
  # With `more`, `begun` comes before the request's first byte is sent: a helper that ends without it
  # has sent nothing. Times are milliseconds.
  method Exchange(
    # Such as `POST`.
    method: string,
    url: string,
    # Each as `Name: value`.
    headers: []string,
    # The value of a header `Authorization` besides.
    # [secret]
    credentials: ?string,
    # What is sent.
    # [secret, base64]
    body: ?string,
    # The certificate authority, in PEM.
    ca: ?string,
    # Each as `sha256//...`. Empty: any key.
    pins: []string,
    # Where the proxy is.
    proxy: ?string,
    timeout: int,
    # The most bytes of the answer.
    maximum_body: int,
    # The key for the slot, used once: 32 bytes.
    # [secret, base64]
    key: ?string,
    # What the sealed answer is bound to.
    # [base64]
    context: ?string,
    # Whether it may go to this machine or to its link, or through a proxy there. Without it such an
    # address is not connected to, whatever name leads there: not_sent, local.
    # [false if absent]
    local: ?bool,
    # The users, besides root, whose programs may get it over loopback in plain text, or be its proxy
    # there. Without it: the helper's own. Others: not_sent, listener, with the user if it is known.
    listeners: ?[]int,
    # How long the connection may take. Absent: 10000.
    connect_timeout: ?int,
    # Whether nothing of the request is sent before Proceed. The connection may be made before.
    # [false if absent]
    waits: ?bool,
    # Whether `body` of the reply is the target of the redirect, empty if there is none. Without a slot.
    # [false if absent]
    wants_location: ?bool
  ) -> (
    # [variant]
    outcome: ExchangeOutcome,
    # [of answered]
    status: ?int,
    # In seconds.
    # [maybe of answered]
    retry_after: ?int,
    # [secret, base64, of answered]
    body: ?string,
    # What the slot would hold.
    # [base64, of sealed]
    sealed: ?string,
    # [of not_sent, of lost]
    reason: ?ExchangeFailure,
    # With the reason listener: the other user, if it is known.
    # [maybe of not_sent]
    user: ?int
  )

  # One HTTP request of a client with its own token: never with a slot. The answer's body goes to
  # descriptor 3 of the helper, what is sent is read from descriptor 4 where `sends_body` is true.
  # No redirect is followed. Times are milliseconds.
  method Request(
    # Such as `GET`.
    method: string,
    url: string,
    # Each as `Name: value`.
    headers: []string,
    sends_body: bool,
    # The certificate authority, in PEM.
    ca: ?string,
    # Each as `sha256//...`. Empty: any key.
    pins: []string,
    # Where the proxy is.
    proxy: ?string,
    timeout: int,
    # The most bytes of the answer.
    maximum_body: int,
    # As for Exchange.
    listeners: ?[]int,
    # How long the connection may take. Absent: 10000.
    connect_timeout: ?int
  ) -> (
    # [variant]
    outcome: RequestOutcome,
    # [of answered]
    status: ?int,
    # How many bytes lie behind descriptor 3.
    # [of answered]
    length: ?int,
    # [maybe of answered]
    content_type: ?string,
    # Where a redirect would lead.
    # [maybe of answered]
    location: ?string,
    # The answer's header fields, each as `Name: value`: at most 100, and 16 KiB.
    # [of answered, empty if absent]
    headers: ?[]string,
    # [of not_sent, of lost]
    reason: ?ExchangeFailure,
    # With the reason listener: the other user, if it is known.
    # [maybe of not_sent]
    user: ?int
  )

  # The exchange that waits may send its request. It is called with `oneway`. If the connection ends
  # before it, the helper ends and has sent nothing.
  method Proceed() -> ()

  # One print, before Check, Enroll or DeletePrints.
  method LoadPrint(
    finger: string,
    # The print, as the library of the reader wrote it.
    # [secret, base64]
    print: string,
    # Whether it was deleted, and may still be on the reader that stores it: it passes no check.
    # [false if absent]
    former: ?bool
  ) -> ()
  # fingerprint, with `more`: ready, waiting, retry, then matched, not_matched or failed.
  # password: `ask` (answer with Respond), then matched, not_matched or failed. If a
  # PAM module says more, a wrong password is `failed` with `no_match` and that text.
  # The fingers that ListEnrolled told of take part if they are still exactly those of
  # `desktop_digests` (source prints) or `desktop_fingers` (source names); else failed, not_enrolled.
  # key, with `more`: `ask` for its PIN if it wants one (answer with Respond), ready, then matched or failed.
  # A key that holds one of `key_credentials` signs `challenge`. With `key_user`, the only key that is
  # plugged in makes a credential instead, unless it holds one of `key_credentials`.
  method Check(
    method: PresenceMethod,
    # The user name, for the password.
    user: ?string,
    # In milliseconds.
    timeout: int,
    # SHA-256 of each of the desktop's prints that take part.
    # [base64]
    desktop_digests: ?[]string,
    # The fingers that fprintd is expected to tell of: these and no others.
    desktop_fingers: ?[]string,
    # The finger whose print comes first, for a reader that takes one print at a time.
    first_finger: ?string,
    # The names of credentials of security keys.
    # [base64]
    key_credentials: ?[]string,
    # What the key signs: 32 bytes.
    # [base64]
    challenge: ?string,
    # Whether the key must verify its person, by its PIN or by itself.
    # [false if absent]
    verify: ?bool,
    # Whether another device is armed too. A key that wants its PIN is touched before it asks.
    # [false if absent]
    raced: ?bool,
    # For whom a credential is made: 1 to 64 bytes.
    # [base64]
    key_user: ?string,
    # The name that the key shows for it.
    key_name: ?string,
    # The PIN for a new credential, in UTF-8.
    # [secret]
    key_pin: ?string
  ) -> (
    # [variant]
    event: HelperCheckStep,
    # [word of ScanHint or general, of retry]
    hint: ?string,
    # The question, or the words.
    # [of ask, of says]
    text: ?string,
    # Whether the answer is hidden.
    # [of ask, true if absent, always sent]
    hidden: ?bool,
    # [of failed]
    reason: ?PresenceOutcome,
    # [maybe of failed]
    detail: ?string,
    # With the reason not_enrolled: the reader stores its prints itself, and does not have these any
    # longer.
    # [of failed, false if absent]
    lost: ?bool,
    # With the reason busy: the reader is hidden from this process, and a new one may find it.
    # [of failed, false if absent]
    hidden_reader: ?bool,
    # The reader.
    # [maybe of ready]
    name: ?string,
    # [maybe of ready]
    driver: ?string,
    # [maybe of ready]
    scan: ?ScanType,
    # For matched: the finger that passed, if one did. For ready: the one that can match, if the others
    # cannot.
    # [maybe of matched, maybe of ready]
    finger: ?string,
    # The credential that has signed, or that was made.
    # [base64, maybe of matched]
    credential: ?string,
    # What the key has signed besides the challenge (Web Authentication, section 6.1).
    # [base64, maybe of matched]
    authenticator_data: ?string,
    # Its signature: ECDSA over P-256, in DER.
    # [base64, maybe of matched]
    signature: ?string,
    # The public key of a new credential: its coordinates on P-256, 64 bytes.
    # [base64, maybe of matched]
    public_key: ?string
  )
  # Answers a question of a check by password or key. The events are those of Check.
  method Respond(
    # The answer, in UTF-8.
    # [secret]
    text: string
  ) -> (
    # [variant]
    event: HelperCheckStep,
    # [word of ScanHint or general]
    hint: ?string,
    text: ?string,
    hidden: ?bool,
    finger: ?string,
    # [base64]
    credential: ?string,
    # [base64]
    authenticator_data: ?string,
    # [base64]
    signature: ?string,
    # [base64]
    public_key: ?string,
    reason: ?PresenceOutcome,
    detail: ?string
  )
  # With `more`: ready, stage, retry, then done with the print, or failed.
  method Enroll(
    finger: string,
    # In milliseconds, for each touch.
    timeout: int,
    # Whether a reader that stores prints itself keeps this one only if Keep follows.
    # [false if absent]
    keep: ?bool
  ) -> (
    # [variant]
    event: HelperEnrollStep,
    # [word of ScanHint or general, of retry]
    hint: ?string,
    # The print, as the library of the reader wrote it.
    # [secret, base64, of done]
    print: ?string,
    # The reader.
    # [maybe of ready]
    name: ?string,
    # [of done, maybe of ready]
    driver: ?string,
    # Its identity within the driver.
    # [of done]
    device: ?string,
    # [maybe of ready]
    scan: ?ScanType,
    # [of failed]
    reason: ?PresenceOutcome,
    # [maybe of failed]
    detail: ?string,
    # With the reason busy: the reader is hidden from this process, and a new one may find it.
    # [of failed, false if absent]
    hidden_reader: ?bool,
    # The place of the former print among those that were loaded.
    # [of removed]
    place: ?int,
    # How many touches are done.
    stage: int,
    # How many touches there are.
    stages: int
  )
  # The print of the last enrollment is stored.
  method Keep() -> ()
  # Deletes the loaded prints on the reader that stores them: these and no others.
  method DeletePrints(
    # In milliseconds.
    timeout: int
  ) -> (
    # Of each, in the order in which they were loaded.
    prints: []PrintDeletion,
    # Why one is left.
    detail: ?string
  )
  # What the system knows: no reader is opened, and fprintd is not started.
  method GetReader() -> (
    # Whether it can be used.
    available: bool,
    name: ?string,
    # fprintd: the reader is not this user's to open, and fprintd verifies.
    driver: ?string,
    # Its identity within the driver.
    device: ?string,
    # How many touches an enrollment takes.
    stages: ?int,
    # Why it cannot be used.
    reason: ?string,
    # Whether a program uses it now.
    # [false if absent]
    in_use: ?bool,
    # Whether the system can tell: a reader that is not on USB shows only when it is used.
    # [true if absent]
    looked: ?bool
  )
  # The fingers that the user of the helper's process has enrolled with fprintd.
  method ListEnrolled(
    # Whether fprintd is started if it does not run.
    # [true if absent]
    start: ?bool
  ) -> (
    source: EnrolledSource,
    # Their names.
    fingers: []string,
    # SHA-256 of the print of each, in the same order. Empty with the source names.
    # [base64]
    digests: []string,
    # Whether they are unknown because fprintd does not run and was not to be started.
    # [false if absent]
    asleep: ?bool
  )
  # What the TPM says of itself. The helper for the TPM answers one request, and ends. After OpenSecret it
  # also answers ReadCounter.
  method GetTPM() -> (
    # [variant]
    outcome: SecretOutcome,
    # The manufacturer's letters, such as `INTC`.
    # [of done]
    maker: ?string,
    # Of the firmware.
    # [of done]
    version: ?string,
    # [of failed]
    reason: ?SecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # Seals a secret with the TPM.
  method SealSecret(
    # 32 bytes.
    # [secret, base64]
    secret: string,
    # What opens it again, beside the TPM: 32 bytes.
    # [secret, base64]
    authorization: string
  ) -> (
    # [variant]
    outcome: SecretOutcome,
    # The name of the storage key.
    # [base64, of done]
    parent_name: ?string,
    # TPM2B_PRIVATE, marshalled.
    # [base64, of done]
    private_part: ?string,
    # TPM2B_PUBLIC, marshalled.
    # [base64, of done]
    public_part: ?string,
    # [of failed]
    reason: ?SecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # Opens a sealed secret.
  method OpenSecret(
    # As SealSecret answered.
    # [base64]
    parent_name: string,
    # [base64]
    private_part: string,
    # [base64]
    public_part: string,
    # [secret, base64]
    authorization: string
  ) -> (
    # [variant]
    outcome: SecretOutcome,
    # [secret, base64, of done]
    secret: ?string,
    # [of failed]
    reason: ?SecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # Defines a counter at this index, and increments it for the first time.
  method DefineCounter(
    index: int,
    # What reads and increments it: 32 bytes.
    # [secret, base64]
    authorization: string,
    # The name that the storage key must have. Absent: any.
    # [base64]
    parent_name: ?string
  ) -> (
    # [variant]
    outcome: SecretOutcome,
    # [of done]
    index: ?int,
    # [of done]
    value: ?int,
    # [of failed]
    reason: ?SecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # Reads a counter.
  method ReadCounter(
    index: int,
    # [secret, base64]
    authorization: string,
    # As for DefineCounter.
    # [base64]
    parent_name: ?string
  ) -> (
    # [variant]
    outcome: SecretOutcome,
    # [of done]
    index: ?int,
    # [of done]
    value: ?int,
    # [of failed]
    reason: ?SecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # Increments a counter, and reads it.
  method IncrementCounter(
    index: int,
    # [secret, base64]
    authorization: string,
    # As for DefineCounter.
    # [base64]
    parent_name: ?string
  ) -> (
    # [variant]
    outcome: SecretOutcome,
    # [of done]
    index: ?int,
    # [of done]
    value: ?int,
    # [of failed]
    reason: ?SecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # Replaces the authorization value of a counter, and reads it.
  method ConfirmCounter(
    index: int,
    # [secret, base64]
    authorization: string,
    # What reads and increments it from now on: 32 bytes.
    # [secret, base64]
    next_authorization: string,
    # As for DefineCounter.
    # [base64]
    parent_name: ?string
  ) -> (
    # [variant]
    outcome: SecretOutcome,
    # [of done]
    index: ?int,
    # [of done]
    value: ?int,
    # [of failed]
    reason: ?SecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # Removes the counter that has this authorization value. It does nothing if there is none.
  method RemoveCounter(
    index: int,
    # [secret, base64]
    authorization: string,
    # As for DefineCounter.
    # [base64]
    parent_name: ?string
  ) -> (
    # [variant]
    outcome: SecretOutcome,
    # [of failed]
    reason: ?SecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # What the only security key that is plugged in says of itself; without a touch. The helper for secrets
  # answers one request, and ends.
  method GetKey() -> (
    # [variant]
    outcome: SecretOutcome,
    # Whether it needs its PIN for a new slot.
    # [of done]
    needs_pin: ?bool,
    # How many wrong PINs it still accepts, if it says so.
    # [maybe of done]
    retries: ?int,
    # [of failed]
    reason: ?KeySecretFailure,
    # [maybe of failed]
    detail: ?string
  )
  # Has the only security key that is plugged in make a credential and a secret: two touches. With `more`:
  # touch, touch, then done or failed.
  method MakeKeySecret(
    # The names of credentials that the key must not hold yet.
    # [base64]
    key_credentials: []string,
    # In UTF-8. Absent: the key needs none.
    # [secret]
    key_pin: ?string
  ) -> (
    # [variant]
    event: KeySecretStep,
    # The parameters of the slot, as the slot holds them.
    # [base64, of done]
    parameters: ?string,
    # 32 bytes.
    # [secret, base64, of done]
    secret: ?string,
    # [of failed]
    reason: ?KeySecretFailure,
    # How many wrong PINs the key still accepts, if it says so.
    # [maybe of failed]
    retries: ?int,
    # [maybe of failed]
    detail: ?string
  )
  # Has a security key make the secret of one of these slots again: one touch. With `more`: touch, then done
  # or failed.
  method OpenKeySecret(
    # The parameters of each slot.
    # [base64]
    slots: []string,
    # In UTF-8. Absent: it was not asked for.
    # [secret]
    key_pin: ?string
  ) -> (
    # [variant]
    event: KeySecretStep,
    # The place of the slot among those, from 0.
    # [of done]
    place: ?int,
    # 32 bytes.
    # [secret, base64, of done]
    secret: ?string,
    # [of failed]
    reason: ?KeySecretFailure,
    # How many wrong PINs the key still accepts, if it says so.
    # [maybe of failed]
    retries: ?int,
    # [maybe of failed]
    detail: ?string
  )

  """#
