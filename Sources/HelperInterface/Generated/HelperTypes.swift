// Written by Scripts/interface from io.thumblatch.Helper.varlink: change that file instead.
// swift-format-ignore-file
internal import Varlink

/// How an exchange ended.
enum ExchangeOutcome: String, Sendable, CaseIterable, WireValue {
  /// The request's first byte is about to be sent. Another reply follows.
  case begun
  /// The outcome lies in the slot, durable.
  case done
  /// The slot could not be written.
  case sealed
  /// Without a slot: a whole answer.
  case answered
  /// Without a slot: nothing of the request was sent.
  case notSent = "not_sent"
  /// The request may have been received, and no whole answer came. A slot is as it was.
  case lost
}

/// How a client's request ended.
enum RequestOutcome: String, Sendable, CaseIterable, WireValue {
  /// A whole answer.
  case answered
  /// Nothing of the request was sent.
  case notSent = "not_sent"
  /// The request may have been received, and no whole answer came.
  case lost
}

/// Why an HTTP request has no answer.
package enum ExchangeFailure: String, Sendable, CaseIterable, WireValue {
  /// The address of the host was not found.
  case resolve
  /// No connection.
  case connect
  /// The machine is there, and no program listens at the port.
  case refused
  /// A program took the connection and did not answer in time. Nothing was sent.
  case silent
  /// TLS failed for any other reason than these.
  case tls
  /// The certificate is of an authority that is not trusted.
  case authority
  /// The certificate has expired.
  case expired
  /// The certificate is not valid yet.
  case notYetValid = "not_yet_valid"
  /// The certificate is of another host.
  case name
  /// The key of the server is not pinned.
  case pin
  /// The request took too long.
  case timeout
  /// The answer is longer than was asked for.
  case tooLarge = "too_large"
  /// The address is of this machine or of its link, where the request may not go.
  case local
  /// A program that is not the provider's listens at the loopback address. A slot says
  /// `listener 1000`.
  case listener
  /// Anything else.
  case other
}

/// What happens in a check.
enum HelperCheckStep: String, Sendable, CaseIterable, WireValue {
  /// The reader is armed.
  case ready
  /// The reader waits for a touch. Before `ready`: it is busy and is tried again.
  case waiting
  /// The reader could not see the finger well.
  case retry
  /// A question to show. Answer it with Respond.
  case ask
  /// With `more`: what a module of the password's stack says while it works, or beside the right password.
  case says
  /// The check passed.
  case matched
  /// Another finger, or a wrong password.
  case notMatched = "not_matched"
  /// There was no decision.
  case failed
}

/// What happens in an enrollment.
enum HelperEnrollStep: String, Sendable, CaseIterable, WireValue {
  /// The reader is armed.
  case ready
  /// The reader waits for a touch.
  case waiting
  /// One more touch is done.
  case stage
  /// The last touch does not count.
  case retry
  /// A former print is not on the reader any longer.
  case removed
  /// The finger is enrolled.
  case done
  /// The enrollment was given up.
  case failed
}

/// What became of a print that was to be deleted on its reader.
package enum PrintDeletion: String, Sendable, CaseIterable, WireValue {
  /// The reader does not have it any longer.
  case deleted
  /// Its reader stores no prints.
  case notStored = "not_stored"
  /// It may still be on its reader.
  case left
}

/// How the fingers that the desktop has enrolled are seen.
package enum EnrolledSource: String, Sendable, CaseIterable, WireValue {
  /// There are none, or there is no fprintd.
  case none
  /// fprintd could not be asked: that says nothing of the fingers.
  case unknown
  /// By their prints, in fprintd's own files, read as root.
  case prints
  /// By their names, which fprintd tells over the bus.
  case names
}

/// How a request to the TPM ended.
enum SecretOutcome: String, Sendable, CaseIterable, WireValue {
  /// The TPM did it.
  case done
  /// It did not.
  case failed
}

/// Why the TPM did not do what it was asked.
package enum SecretFailure: String, Sendable, CaseIterable, WireValue {
  /// There is no device, or it is no TPM.
  case absent
  /// The user of the helper may not open the device.
  case notPermitted = "not_permitted"
  /// The TPM is not the one of the storage key's name, or it was cleared, or something between answers
  /// in its name.
  case anotherTPM = "another_tpm"
  /// The owner's password is set, and no storage key stands at 0x81000001.
  case ownerPassword = "owner_password"
  /// The authorization value is not the one of the secret or the counter.
  case wrongAuthorization = "wrong_authorization"
  /// The sealed bytes are damaged.
  case damaged
  /// The TPM is busy, or limits its writes.
  case busy
  /// The TPM refuses authorizations after wrong ones of others.
  case lockedOut = "locked_out"
  /// There is no counter at this index.
  case noCounter = "no_counter"
  /// There is no room for a counter.
  case noRoom = "no_room"
  /// The index of the new counter is taken.
  case indexTaken = "index_taken"
  /// Another response, whose code is in `detail`.
  case unexpected
}

/// What happens while a security key makes a secret.
enum KeySecretStep: String, Sendable, CaseIterable, WireValue {
  /// The key waits for a touch.
  case touch
  /// The secret is made.
  case done
  /// It was given up.
  case failed
}

/// Why a security key made no secret.
package enum KeySecretFailure: String, Sendable, CaseIterable, WireValue {
  /// libfido2 is missing, or is another version.
  case noLibrary = "no_library"
  /// None is plugged in.
  case noKey = "no_key"
  /// The key made none of the credentials, or was reset.
  case anotherKey = "another_key"
  /// More than one is plugged in.
  case severalKeys = "several_keys"
  /// The key holds one of the credentials that it must not hold yet.
  case alreadyAdded = "already_added"
  /// The key has no hmac-secret.
  case noSecret = "no_secret"
  /// The key wants its PIN.
  case pinNeeded = "pin_needed"
  /// The PIN was wrong.
  case wrongPin = "wrong_pin"
  /// The key accepts a PIN only after it was unplugged.
  case pinBlockedUntilReplugged = "pin_blocked_until_replugged"
  /// The key accepts no PIN until it is reset.
  case pinBlocked = "pin_blocked"
  /// The key has no PIN, and the slot needs one.
  case noPin = "no_pin"
  /// The key verifies its person always, and the slot was made without that.
  case alwaysVerifies = "always_verifies"
  /// The key did not recognize its person.
  case notVerified = "not_verified"
  /// The key was not touched in time.
  case timedOut = "timed_out"
  /// The engine ended it.
  case cancelled
  /// The key was unplugged, or does not answer.
  case removed
  /// The user of the helper may not open the key.
  case notPermitted = "not_permitted"
  /// Another response, whose code is in `detail`.
  case unexpected
}
