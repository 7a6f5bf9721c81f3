internal import Presence
internal import PresenceTerms

/// The values that a prompt was opened with, besides those in the prompt book.
struct PromptContext {
  /// The desktop's fingers that its check is made for.
  var look: DesktopLook
  /// The fingers as they were shown, if the password has to confirm them.
  var unconfirmed: EnrolledSet?
  /// Why a method does not count for it.
  var objections: [PresenceMethod: PresenceFailure]
}
