// Written by Scripts/interface from io.thumblatch.Helper.varlink: change that file instead.
// swift-format-ignore-file
internal import Varlink

/// How an exchange ended.
enum ExchangeOutcome: String, Sendable, CaseIterable, WireValue {
  /// The request's first byte is about to be sent. Another reply follows.
  case begun
  /// The answer is in the slot, and durable.
  case done
  /// The slot could not be written.
  case sealed
  /// Without a slot: there is a complete answer.
  case answered
  /// Without a slot: nothing of the request was sent.
  case notSent = "not_sent"
  /// The request may have been received, but no complete answer came. A slot is unchanged.
  case lost
}

/// How a client's request ended.
enum RequestOutcome: String, Sendable, CaseIterable, WireValue {
  /// There is a complete answer.
  case answered
  /// Nothing of the request was sent.
  case notSent = "not_sent"
  /// The request may have been received, but no complete answer came.
  case lost
}

/// Why an HTTP request has no answer.
package enum ExchangeFailure: String, Sendable, CaseIterable, WireValue {
  /// The address of the host was not found.
  case resolve
  /// No connection.
  case connect
  /// The machine is reachable, but no program listens on the port.
  case refused
  /// A program accepted the connection, but did not answer in time. Nothing was sent.
  case silent
  /// TLS failed for another reason.
  case tls
  /// The certificate is from an authority that is not trusted.
  case authority
  /// The certificate has expired.
  case expired
  /// The certificate is not valid yet.
  case notYetValid = "not_yet_valid"
  /// The certificate is for another host.
  case name
  /// The key of the server is not pinned.
  case pin
  /// The request took too long.
  case timeout
  /// The answer is longer than the request allows.
  case tooLarge = "too_large"
  /// The address is of this machine or of its local link, and the request may not go there.
  case local
  /// A program of another user than the provider's listens on the loopback address. A slot says
  /// `listener 1000`.
  case listener
  /// Anything else.
  case other
}

/// A step of a check.
enum HelperCheckStep: String, Sendable, CaseIterable, WireValue {
  /// The reader is armed.
  case ready
  /// The reader waits for a touch. Before `ready`: it is busy, and is tried again.
  case waiting
  /// The reader could not see the finger well.
  case retry
  /// A question to show. Answer it with Respond.
  case ask
  /// With `more`: a message of a PAM module while it works, or with the right password.
  case says
  /// The check passed.
  case matched
  /// Another finger, or a wrong password.
  case notMatched = "not_matched"
  /// There was no decision.
  case failed
}

/// A step of an enrollment.
enum HelperEnrollStep: String, Sendable, CaseIterable, WireValue {
  /// The reader is armed.
  case ready
  /// The reader waits for a touch.
  case waiting
  /// Another touch is done.
  case stage
  /// The last touch does not count.
  case retry
  /// A former print is no longer on the reader.
  case removed
  /// The finger is enrolled.
  case done
  /// The enrollment failed.
  case failed
}

/// The result of deleting a print on its reader.
package enum PrintDeletion: String, Sendable, CaseIterable, WireValue {
  /// It is no longer on its reader.
  case deleted
  /// Its reader stores no prints.
  case notStored = "not_stored"
  /// It may still be on its reader.
  case left
}

/// How the fingers that are enrolled in the desktop's settings are known.
package enum EnrolledSource: String, Sendable, CaseIterable, WireValue {
  /// There are none, or there is no fprintd.
  case none
  /// fprintd could not be asked, which says nothing about the fingers.
  case unknown
  /// By their prints, which root reads in fprintd's files.
  case prints
  /// By their names, from fprintd over the bus.
  case names
}

/// How a request to the TPM ended.
enum SecretOutcome: String, Sendable, CaseIterable, WireValue {
  /// The TPM carried it out.
  case done
  /// The TPM did not carry it out.
  case failed
}

/// Why the TPM did not carry out a request.
package enum SecretFailure: String, Sendable, CaseIterable, WireValue {
  /// There is no device, or it is not a TPM.
  case absent
  /// The user of the helper may not open the device.
  case notPermitted = "not_permitted"
  /// The TPM does not have the storage key of this name: it is another TPM, it was cleared, or a
  /// device on the bus answers in its place.
  case anotherTPM = "another_tpm"
  /// The owner's password is set, and there is no storage key at 0x81000001.
  case ownerPassword = "owner_password"
  /// The authorization value of the secret or the counter is wrong.
  case wrongAuthorization = "wrong_authorization"
  /// The sealed bytes are damaged.
  case damaged
  /// The TPM is busy, or limits its writes.
  case busy
  /// The TPM refuses authorizations, because too many were wrong.
  case lockedOut = "locked_out"
  /// There is no counter at this index.
  case noCounter = "no_counter"
  /// There is no room for a counter.
  case noRoom = "no_room"
  /// The index of the new counter is already used.
  case indexTaken = "index_taken"
  /// Another response, whose code is in `detail`.
  case unexpected
}

/// A step while a security key makes a secret.
enum KeySecretStep: String, Sendable, CaseIterable, WireValue {
  /// The key waits for a touch.
  case touch
  /// The secret is made.
  case done
  /// The key made no secret.
  case failed
}

/// Why a security key made no secret.
package enum KeySecretFailure: String, Sendable, CaseIterable, WireValue {
  /// libfido2 is missing, or is another version.
  case noLibrary = "no_library"
  /// No key is plugged in.
  case noKey = "no_key"
  /// The key made none of the credentials, or was reset.
  case anotherKey = "another_key"
  /// More than one key is plugged in.
  case severalKeys = "several_keys"
  /// The key holds one of the credentials that it must not hold yet.
  case alreadyAdded = "already_added"
  /// The key does not support hmac-secret.
  case noSecret = "no_secret"
  /// The key needs its PIN.
  case pinNeeded = "pin_needed"
  /// The PIN was wrong.
  case wrongPin = "wrong_pin"
  /// The key accepts a PIN only after it has been unplugged.
  case pinBlockedUntilReplugged = "pin_blocked_until_replugged"
  /// The key accepts no PIN until it is reset.
  case pinBlocked = "pin_blocked"
  /// The key has no PIN, and the slot needs one.
  case noPin = "no_pin"
  /// The key always verifies its person, but the slot was made without that.
  case alwaysVerifies = "always_verifies"
  /// The key did not recognize its person.
  case notVerified = "not_verified"
  /// The key was not touched in time.
  case timedOut = "timed_out"
  /// The engine cancelled it.
  case cancelled
  /// The key was unplugged, or does not answer.
  case removed
  /// The user of the helper may not open the key.
  case notPermitted = "not_permitted"
  /// Another response, whose code is in `detail`.
  case unexpected
}
