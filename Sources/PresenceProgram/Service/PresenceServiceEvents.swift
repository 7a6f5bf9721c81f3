internal import FingerprintReader
internal import HelperInterface
internal import PresenceTerms
internal import SystemPassword

/// Reports the events of the reader and of PAM to the engine.
extension PresenceService {
  func handle(_ event: Inbox.Event) {
    switch event {
    case .seen(let facts): armed = facts
    case .check(let event): connection.reply(HelperCheckEvent(event, armed), continues: true)
    case .enroll(let event): report(event)
    case .verdict(let result): end(result)
    case .enrolled(let result): end(result)
    case .deleted(let result):
      running = nil
      connection.reply(HelperDeletions(result, of: former))
    case .look(let look):
      running = nil
      connection.reply(HelperReader(look))
    case .fingers(let result):
      running = nil
      connection.reply(HelperEnrolled(result))
    case .said: noteMessage()
    case .question(let question):
      // The question includes the waiting messages.
      messagesDue = nil
      connection.reply(HelperCheckEvent.ask(text: question.text, hidden: question.isHidden))
    case .lit: connection.reply(HelperCheckEvent.ready(), continues: true)
    case .key(let result, let isLate): end(result, isLate: isLate)
    case .password(let result):
      // A failure includes the waiting messages.
      reportMessages()
      running = nil
      connection.reply(HelperCheckEvent(result))
    }
  }

  func end(_ result: Result<Verdict, ReaderError>) {
    running = nil
    connection.reply(HelperCheckEvent(result))
  }

  func end(_ result: Result<StoredPrint, ReaderError>) {
    running = nil
    switch result {
    case .success(let print):
      finish(print)
      reply(.done(print: print.bytes, driver: print.driver, device: print.device))
    case .failure(let error):
      reply(
        .failed(
          PresenceOutcome(error),
          detail: error.description,
          hiddenReader: error == .vanished
        )
      )
    }
  }

  func report(_ event: FingerprintReader.EnrollEvent) {
    switch event {
    case .ready(let count):
      stages = count
      stage = 0
      reply(
        .ready(name: armed?.name, driver: armed?.driver, scan: armed?.scan),
        continues: true
      )
    case .waiting: reply(.waiting, continues: true)
    case .stage(let done, _):
      stage = done
      reply(.stage, continues: true)
    case .retry(let hint): reply(.retry(hint), continues: true)
    case .removed(let index): reply(.removed(place: index), continues: true)
    }
  }

  func reply(_ event: HelperEnrollEvent, continues: Bool = false) {
    connection.reply(
      HelperEnrollReply(event: event, stage: stage, stages: stages),
      continues: continues
    )
  }

  func refuse(_ reason: PresenceOutcome, _ detail: String?) {
    connection.reply(HelperCheckEvent.failed(reason, detail: detail))
  }
}
