/// The installed file `io.thumblatch.Helper.varlink`, byte for byte.
let helperDescription = #"""
  # What the engine asks of its helper processes, over one socket each (descriptor 0 of a child).
  # The helper ends when the socket closes, except that an exchange is finished first.
  # Messages are at most 98304 bytes with their NUL: a slot of 64 KiB fits in base64.
  interface io.thumblatch.Helper

  # One HTTP request. A slot's descriptor comes with the first byte of the message (SCM_RIGHTS)
  # where `key` is set: the outcome is then sealed into the slot and made durable before `done`.
  # With `more`, `begun` comes before the request's first byte is sent: a helper that ends without it
  # has sent nothing.
  # Times are milliseconds. `body` and `key` (32 bytes) are base64 and secret.
  method Exchange(
    method: string,
    url: string,
    headers: []string,
    # The value of a header Authorization besides, secret.
    credentials: ?string,
    body: ?string,
    ca: ?string,
    pins: []string,
    proxy: ?string,
    timeout: int,
    maximum_body: int,
    key: ?string,
    # base64: what the sealed answer is bound to.
    context: ?string,
    # Whether it may go to this machine or to its link, or through a proxy there. Without it such an
    # address is not connected to, whatever name leads there: not_sent, local.
    local: ?bool,
    # The users, besides root, whose programs may get it over loopback in plain text, or be its proxy
    # there. Without it: the helper's own. Others: not_sent, listener, with the user if it is known.
    listeners: ?[]int,
    # How long the connection may take; 10000 if absent.
    connect_timeout: ?int,
    # Whether nothing of the request is sent before Proceed; the connection may be made before.
    waits: ?bool
  ) -> (
    # begun: another reply follows. done: look into the slot. sealed: the slot could not be
    # written, `sealed` is what it would hold (base64). answered, not_sent: an exchange without a
    # slot. lost: the request may have been received, and no whole answer came; a slot is as it was.
    outcome: (begun, done, sealed, answered, not_sent, lost),
    status: ?int,
    retry_after: ?int,
    # base64, secret
    body: ?string,
    sealed: ?string,
    # For not_sent and lost: resolve, connect, refused, tls, authority, expired, not_yet_valid, name,
    # pin, timeout, too_large, local, listener, other. The outcome in a slot says `listener 1000`.
    reason: ?string,
    # For listener: the other user.
    user: ?int
  )

  # One HTTP request of a client with its own token: never with a slot. The answer's body goes to
  # descriptor 3 of the helper, what is sent is read from descriptor 4 where `sends_body` is true.
  # No redirect is followed. `location` is where one would lead.
  method Request(
    method: string,
    url: string,
    headers: []string,
    sends_body: bool,
    ca: ?string,
    pins: []string,
    proxy: ?string,
    timeout: int,
    maximum_body: int,
    # As for Exchange.
    listeners: ?[]int,
    connect_timeout: ?int
  ) -> (
    outcome: (answered, not_sent, lost),
    status: ?int,
    length: ?int,
    content_type: ?string,
    location: ?string,
    # The answer's header fields, each as `Name: value`: at most 100, and 16 KiB.
    headers: ?[]string,
    # For not_sent and lost: as for Exchange.
    reason: ?string,
    user: ?int
  )

  # The exchange that waits may send its request. It is called with `oneway`. If the connection ends
  # before it, the helper ends and has sent nothing.
  method Proceed() -> ()

  # One print, before Check, Enroll or DeletePrints. `print` is base64, secret. A `former` one was
  # deleted, and may still be on the reader that stores it: it passes no check.
  method LoadPrint(finger: string, print: string, former: ?bool) -> ()
  # fingerprint, with `more`: ready, waiting, retry, then matched, not_matched or failed.
  # password: `ask` (answer with Respond), then matched, not_matched or failed.
  # The fingers that ListEnrolled told of take part if they are still exactly those of
  # `desktop_digests` (source prints) or `desktop_fingers` (source names); else failed, not_enrolled.
  # A reader that takes one print at a time gets that of `first_finger`.
  # `waiting` may come before `ready`: the reader is busy and is tried again.
  method Check(
    method: (fingerprint, password), user: ?string, timeout: int,
    desktop_digests: ?[]string, desktop_fingers: ?[]string, first_finger: ?string
  ) -> (
    event: (ready, waiting, retry, ask, matched, not_matched, failed),
    # too_short, center_finger, remove_finger, general
    hint: ?string,
    text: ?string,
    hidden: ?bool,
    finger: ?string,
    # For failed: not_available, not_enrolled, busy, timed_out, cancelled, denied.
    reason: ?string,
    detail: ?string,
    # For not_enrolled: the reader stores its prints itself, and does not have these any longer.
    lost: ?bool,
    # For busy: the reader is hidden from this process, and a new one may find it.
    hidden_reader: ?bool,
    # For ready: the reader, and in `finger` the one that can match, if the others cannot.
    name: ?string,
    driver: ?string,
    scan: ?(press, swipe)
  )
  method Respond(text: string) -> (
    event: (ready, waiting, retry, ask, matched, not_matched, failed),
    hint: ?string, text: ?string, hidden: ?bool, finger: ?string, reason: ?string, detail: ?string
  )
  # With `more`: ready, stage, retry, then done with the print (base64, secret), or failed. removed: the
  # former print of this `place` among those that were loaded is not on the reader any longer. With
  # `keep`, a reader that stores prints itself keeps this one only if Keep follows.
  method Enroll(finger: string, timeout: int, keep: ?bool) -> (
    event: (ready, waiting, stage, retry, removed, done, failed),
    stage: int,
    stages: int,
    hint: ?string,
    print: ?string,
    driver: ?string,
    device: ?string,
    reason: ?string,
    detail: ?string,
    place: ?int,
    # As for Check.
    hidden_reader: ?bool,
    name: ?string,
    scan: ?(press, swipe)
  )
  # The print of the last enrolment is stored.
  method Keep() -> ()
  # Deletes the loaded prints on the reader that stores them: these and no others. left: it may still
  # be there, `detail` says why.
  method DeletePrints(timeout: int) -> (prints: [](deleted, not_stored, left), detail: ?string)
  # What the system knows: no reader is opened, and fprintd is not started. driver fprintd: the reader is
  # not this user's to open, and fprintd verifies. `looked` is false if the system cannot tell.
  method GetReader() -> (
    available: bool, name: ?string, driver: ?string, device: ?string, stages: ?int,
    reason: ?string, in_use: ?bool, looked: ?bool
  )
  # The fingers that the user of the helper's process has enrolled with fprintd. prints: its own
  # files, read as root; `digests` has the SHA-256 of each finger's print in base64. names: what it
  # tells over the bus; `digests` is empty. unknown: it could not be asked; nothing is told by
  # that. With `start` false fprintd is not started; `asleep` says that it does not run.
  method ListEnrolled(start: ?bool) -> (
    source: (none, unknown, prints, names), fingers: []string, digests: []string, asleep: ?bool
  )

  """#
