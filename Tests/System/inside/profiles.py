"""Uses the service once. What its programs open is compared with their profiles (profile_trace.py)."""
from household import ACCOUNT, ADA, begin, is_valid, token
from scenarios import check, main, run, scenario


@scenario
def anEngineStartsAgainAndExamines():
    run("systemctl", "restart", "thumblatchd.service")
    check(is_valid(token()), "no token")
    ADA.thumblatch("doctor").end(status=None)
    ADA.thumblatch("audit", "verify").expect("The audit log is intact").end()
    run("thumblatch", "device-secret", "status")


@scenario
def aProviderIsTested():
    ADA.thumblatch("provider", "test", "dev").end(status=None)


@scenario
def protectionEnds():
    ADA.thumblatch("presence", "disable", ACCOUNT).expect("Touch").type("").expect(
        "System password for").type(ADA.password).end()


main(begin)
