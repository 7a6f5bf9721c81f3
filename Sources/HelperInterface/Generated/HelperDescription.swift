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
  # The requests of the engine to its helper processes, over one socket each (descriptor 0 of the
  # child). A helper ends when its socket closes, but finishes an exchange first. Messages are at
  # most 98304 bytes with their NUL, so that a slot of 64 KiB fits in base64.
  #
  # A comment line in square brackets marks the member below it:
  # [secret]: the engine and its helpers keep the value in locked memory, and never print it.
  # [base64]: the text encodes bytes (RFC 4648, section 4, with padding).
  # [true if absent], [false if absent], [empty if absent]: the meaning of an absent member.
  # [always sent]: this version always sends the member.
  # [word of TYPE or WORD]: the text is a value of this type; an unknown value is read as this one.
  # [variant]: the value decides which of the marked members are present.
  # [of VALUE]: the member is present with this value. [maybe of VALUE]: it may be present.
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
    # The finger is placed on the reader.
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
    # The answer is in the slot, and durable.
    done,
    # The slot could not be written.
    sealed,
    # Without a slot: there is a complete answer.
    answered,
    # Without a slot: nothing of the request was sent.
    not_sent,
    # The request may have been received, but no complete answer came. A slot is unchanged.
    lost
  )

  # How a client's request ended.
  type RequestOutcome (
    # There is a complete answer.
    answered,
    # Nothing of the request was sent.
    not_sent,
    # The request may have been received, but no complete answer came.
    lost
  )

  # Why an HTTP request has no answer.
  type ExchangeFailure (
    # The address of the host was not found.
    resolve,
    # No connection.
    connect,
    # The machine is reachable, but no program listens on the port.
    refused,
    # A program accepted the connection, but did not answer in time. Nothing was sent.
    silent,
    # TLS failed for another reason.
    tls,
    # The certificate is from an authority that is not trusted.
    authority,
    # The certificate has expired.
    expired,
    # The certificate is not valid yet.
    not_yet_valid,
    # The certificate is for another host.
    name,
    # The key of the server is not pinned.
    pin,
    # The request took too long.
    timeout,
    # The answer is longer than the request allows.
    too_large,
    # The address is of this machine or of its local link, and the request may not go there.
    local,
    # A program of another user than the provider's listens on the loopback address. A slot says
    # `listener 1000`.
    listener,
    # Anything else.
    other
  )

  # A step of a check.
  type HelperCheckStep (
    # The reader is armed.
    ready,
    # The reader waits for a touch. Before `ready`: it is busy, and is tried again.
    waiting,
    # The reader could not see the finger well.
    retry,
    # A question to show. Answer it with Respond.
    ask,
    # With `more`: a message of a PAM module while it works, or with the right password.
    says,
    # The check passed.
    matched,
    # Another finger, or a wrong password.
    not_matched,
    # There was no decision.
    failed
  )

  # A step of an enrollment.
  type HelperEnrollStep (
    # The reader is armed.
    ready,
    # The reader waits for a touch.
    waiting,
    # Another touch is done.
    stage,
    # The last touch does not count.
    retry,
    # A former print is no longer on the reader.
    removed,
    # The finger is enrolled.
    done,
    # The enrollment failed.
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

  # The result of deleting a print on its reader.
  type PrintDeletion (
    # It is no longer on its reader.
    deleted,
    # Its reader stores no prints.
    not_stored,
    # It may still be on its reader.
    left
  )

  # How the fingers that are enrolled in the desktop's settings are known.
  type EnrolledSource (
    # There are none, or there is no fprintd.
    none,
    # fprintd could not be asked, which says nothing about the fingers.
    unknown,
    # By their prints, which root reads in fprintd's files.
    prints,
    # By their names, from fprintd over the bus.
    names
  )

  # How a request to the TPM ended.
  type SecretOutcome (
    # The TPM carried it out.
    done,
    # The TPM did not carry it out.
    failed
  )

  # Why the TPM did not carry out a request.
  type SecretFailure (
    # There is no device, or it is not a TPM.
    absent,
    # The user of the helper may not open the device.
    not_permitted,
    # The TPM does not have the storage key of this name: it is another TPM, it was cleared, or a
    # device on the bus answers in its place.
    another_tpm,
    # The owner's password is set, and there is no storage key at 0x81000001.
    owner_password,
    # The authorization value of the secret or the counter is wrong.
    wrong_authorization,
    # The sealed bytes are damaged.
    damaged,
    # The TPM is busy, or limits its writes.
    busy,
    # The TPM refuses authorizations, because too many were wrong.
    locked_out,
    # There is no counter at this index.
    no_counter,
    # There is no room for a counter.
    no_room,
    # The index of the new counter is already used.
    index_taken,
    # Another response, whose code is in `detail`.
    unexpected
  )

  # A step while a security key makes a secret.
  type KeySecretStep (
    # The key waits for a touch.
    touch,
    # The secret is made.
    done,
    # The key made no secret.
    failed
  )

  # Why a security key made no secret.
  type KeySecretFailure (
    # libfido2 is missing, or is another version.
    no_library,
    # No key is plugged in.
    no_key,
    # The key made none of the credentials, or was reset.
    another_key,
    # More than one key is plugged in.
    several_keys,
    # The key holds one of the credentials that it must not hold yet.
    already_added,
    # The key does not support hmac-secret.
    no_secret,
    # The key needs its PIN.
    pin_needed,
    # The PIN was wrong.
    wrong_pin,
    # The key accepts a PIN only after it has been unplugged.
    pin_blocked_until_replugged,
    # The key accepts no PIN until it is reset.
    pin_blocked,
    # The key has no PIN, and the slot needs one.
    no_pin,
    # The key always verifies its person, but the slot was made without that.
    always_verifies,
    # The key did not recognize its person.
    not_verified,
    # The key was not touched in time.
    timed_out,
    # The engine cancelled it.
    cancelled,
    # The key was unplugged, or does not answer.
    removed,
    # The user of the helper may not open the key.
    not_permitted,
    # Another response, whose code is in `detail`.
    unexpected
  )

  # Makes one HTTP request. If `key` is set, the descriptor of a slot comes with the first byte of the
  # message (SCM_RIGHTS). The answer is then sealed into the slot and made durable before `done`. With
  # `more`, `begun` comes before the first byte of the request is sent: a helper that ends before it
  # has sent nothing. Times are in milliseconds.
  method Exchange(
    # Such as `POST`.
    method: string,
    url: string,
    # Each as `Name: value`.
    headers: []string,
    # The value of an additional header `Authorization`.
    # [secret]
    credentials: ?string,
    # The body of the request.
    # [secret, base64]
    body: ?string,
    # The certificate authority, in PEM.
    ca: ?string,
    # Each as `sha256//...`. If empty, any key is accepted.
    pins: []string,
    # The URL of the proxy.
    proxy: ?string,
    timeout: int,
    # The maximum length of the answer, in bytes.
    maximum_body: int,
    # The key for the slot, for one use: 32 bytes.
    # [secret, base64]
    key: ?string,
    # The associated data of the sealed answer.
    # [base64]
    context: ?string,
    # Whether the request may go to this machine or its local link, or through a proxy there.
    # Otherwise the helper does not connect to such an address, by whichever name: not_sent, local.
    # [false if absent]
    local: ?bool,
    # The users, besides root, whose programs may get the request over loopback in plain text, or be
    # its proxy there. If absent, the helper's own user. For other users: not_sent, listener, with the
    # user if it is known.
    listeners: ?[]int,
    # How long the connection may take. If absent, 10000.
    connect_timeout: ?int,
    # Whether the helper sends nothing of the request before Proceed. It may connect earlier.
    # [false if absent]
    waits: ?bool,
    # Whether `body` of the reply is the target of the redirect, or empty if there is none. Only
    # without a slot.
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
    # The bytes for the slot.
    # [base64, of sealed]
    sealed: ?string,
    # [of not_sent, of lost]
    reason: ?ExchangeFailure,
    # With the reason listener: the other user, if it is known.
    # [maybe of not_sent]
    user: ?int
  )

  # Makes one HTTP request of a client with its own token, never with a slot. The body of the answer
  # is written to descriptor 3 of the helper. If `sends_body` is true, the body of the request is read
  # from descriptor 4. No redirect is followed. Times are in milliseconds.
  method Request(
    # Such as `GET`.
    method: string,
    url: string,
    # Each as `Name: value`.
    headers: []string,
    sends_body: bool,
    # The certificate authority, in PEM.
    ca: ?string,
    # Each as `sha256//...`. If empty, any key is accepted.
    pins: []string,
    # The URL of the proxy.
    proxy: ?string,
    timeout: int,
    # The maximum length of the answer, in bytes.
    maximum_body: int,
    # As for Exchange.
    listeners: ?[]int,
    # How long the connection may take. If absent, 10000.
    connect_timeout: ?int
  ) -> (
    # [variant]
    outcome: RequestOutcome,
    # [of answered]
    status: ?int,
    # How many bytes were written to descriptor 3.
    # [of answered]
    length: ?int,
    # [maybe of answered]
    content_type: ?string,
    # The target of a redirect.
    # [maybe of answered]
    location: ?string,
    # The header fields of the answer, each as `Name: value`: at most 100 fields and 16 KiB.
    # [of answered, empty if absent]
    headers: ?[]string,
    # [of not_sent, of lost]
    reason: ?ExchangeFailure,
    # With the reason listener: the other user, if it is known.
    # [maybe of not_sent]
    user: ?int
  )

  # Lets the waiting exchange send its request. It is called with `oneway`. If the connection closes
  # before it, the helper ends and has sent nothing.
  method Proceed() -> ()

  # Loads one print, before Check, Enroll or DeletePrints.
  method LoadPrint(
    finger: string,
    # The print, as libfprint wrote it.
    # [secret, base64]
    print: string,
    # Whether the print was deleted here, but may still be on the reader that stores it. It passes no
    # check.
    # [false if absent]
    former: ?bool
  ) -> ()
  # Runs a presence check.
  # fingerprint, with `more`: ready, waiting, retry, then matched, not_matched or failed. The fingers of
  # ListEnrolled count if they are still exactly those of `desktop_digests` (source prints) or
  # `desktop_fingers` (source names). Otherwise the check fails with not_enrolled.
  # password: `ask` (answer with Respond), then matched, not_matched or failed. If a PAM module gives a
  # message, a wrong password is `failed` with `no_match` and that text.
  # key, with `more`: `ask` for its PIN if it needs one (answer with Respond), ready, then matched or
  # failed. A key that holds one of `key_credentials` signs `challenge`. With `key_user`, the only key
  # that is plugged in makes a credential instead, unless it holds one of `key_credentials`.
  method Check(
    method: PresenceMethod,
    # The user name, for the password.
    user: ?string,
    # In milliseconds.
    timeout: int,
    # The SHA-256 of each of the desktop's prints that count.
    # [base64]
    desktop_digests: ?[]string,
    # The fingers that fprintd must list: exactly these.
    desktop_fingers: ?[]string,
    # The finger whose print comes first, for a reader that compares with one print at a time.
    first_finger: ?string,
    # The names of credentials of security keys.
    # [base64]
    key_credentials: ?[]string,
    # The challenge that the key signs: 32 bytes.
    # [base64]
    challenge: ?string,
    # Whether the key must verify its person, by its PIN or its own sensor.
    # [false if absent]
    verify: ?bool,
    # Whether another device is armed too. The person then touches a key that needs its PIN before
    # `ask`.
    # [false if absent]
    raced: ?bool,
    # The user of a new credential: 1 to 64 bytes.
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
    # The question, or the message of the module.
    # [of ask, of says]
    text: ?string,
    # Whether the answer is hidden.
    # [of ask, true if absent, always sent]
    hidden: ?bool,
    # [of failed]
    reason: ?PresenceOutcome,
    # [maybe of failed]
    detail: ?string,
    # With the reason not_enrolled: whether the reader stores its prints itself and no longer has
    # these.
    # [of failed, false if absent]
    lost: ?bool,
    # With the reason busy: whether the reader is hidden from this process. A new process may find it.
    # [of failed, false if absent]
    hidden_reader: ?bool,
    # The reader.
    # [maybe of ready]
    name: ?string,
    # [maybe of ready]
    driver: ?string,
    # [maybe of ready]
    scan: ?ScanType,
    # For matched: the finger that passed, if any. For ready: the only finger that can match, if the
    # others cannot.
    # [maybe of matched, maybe of ready]
    finger: ?string,
    # The credential that has signed, or the new credential.
    # [base64, maybe of matched]
    credential: ?string,
    # The data that the key has signed together with the challenge (Web Authentication, section 6.1).
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
  # Enrolls a finger. With `more`: ready, stage, retry, then done with the print, or failed.
  method Enroll(
    finger: string,
    # In milliseconds, for each touch.
    timeout: int,
    # Whether a reader that stores prints itself keeps the new one only if Keep follows.
    # [false if absent]
    keep: ?bool
  ) -> (
    # [variant]
    event: HelperEnrollStep,
    # [word of ScanHint or general, of retry]
    hint: ?string,
    # The print, as libfprint wrote it.
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
    # With the reason busy: whether the reader is hidden from this process. A new process may find it.
    # [of failed, false if absent]
    hidden_reader: ?bool,
    # The index of the former print among the loaded ones.
    # [of removed]
    place: ?int,
    # How many touches are done.
    stage: int,
    # How many touches the enrollment needs.
    stages: int
  )
  # Says that the print of the last enrollment is stored.
  method Keep() -> ()
  # Deletes exactly the loaded prints on the reader that stores them.
  method DeletePrints(
    # In milliseconds.
    timeout: int
  ) -> (
    # The result for each print, in the order in which they were loaded.
    prints: []PrintDeletion,
    # Why a print may still be on its reader.
    detail: ?string
  )
  # What the system knows about the reader. It is not opened, and fprintd is not started.
  method GetReader() -> (
    # Whether it can be used.
    available: bool,
    name: ?string,
    # `fprintd` if this user may not open the reader, so that fprintd compares the fingers.
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
    # Whether the system can know: a reader that is not on USB is found only when it is used.
    # [true if absent]
    looked: ?bool
  )
  # Lists the fingers that the user of the helper's process has enrolled with fprintd.
  method ListEnrolled(
    # Whether fprintd is started if it does not run.
    # [true if absent]
    start: ?bool
  ) -> (
    source: EnrolledSource,
    # Their names.
    fingers: []string,
    # The SHA-256 of the print of each, in the same order. Empty with the source names.
    # [base64]
    digests: []string,
    # Whether they are unknown because fprintd does not run and was not to be started.
    # [false if absent]
    asleep: ?bool
  )
  # Asks the TPM about itself. The helper for the TPM answers one request, and ends. After OpenSecret
  # it also answers ReadCounter.
  method GetTPM() -> (
    # [variant]
    outcome: SecretOutcome,
    # The manufacturer's letters, such as `INTC`.
    # [of done]
    maker: ?string,
    # The version of the firmware.
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
    # The authorization value that opens it again, with the TPM: 32 bytes.
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
    # As in the reply of SealSecret.
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
    # The authorization value that reads and increments it: 32 bytes.
    # [secret, base64]
    authorization: string,
    # The name that the storage key must have. If absent, any.
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
    # The authorization value that reads and increments it from now on: 32 bytes.
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
  # Asks the only security key that is plugged in about itself, without a touch. The helper for
  # secrets answers one request, and ends.
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
  # Makes a credential and a secret with the only security key that is plugged in, by two touches.
  # With `more`: touch, touch, then done or failed.
  method MakeKeySecret(
    # The names of credentials that the key must not hold yet.
    # [base64]
    key_credentials: []string,
    # The PIN, in UTF-8. Absent if the key needs none.
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
  # Makes the secret of one of these slots again with its security key, by one touch. With `more`:
  # touch, then done or failed.
  method OpenKeySecret(
    # The parameters of each slot.
    # [base64]
    slots: []string,
    # The PIN, in UTF-8. Absent if the key did not need it.
    # [secret]
    key_pin: ?string
  ) -> (
    # [variant]
    event: KeySecretStep,
    # The index of the slot among those, from 0.
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
