internal import PresenceTerms

// The words of presence are values of members, in the interfaces of the vault and of the helpers.

extension AccountState: WireValue {}
extension PresenceMethod: WireValue {}
extension PresenceOutcome: WireValue {}
extension PresencePurpose: WireValue {}
extension ScanHint: WireValue {}
extension ScanType: WireValue {}
