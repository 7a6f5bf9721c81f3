"""The screen is locked, and the machine sleeps, at each moment of a request. The open prompt is
cancelled, no window stays open, nothing comes out unchecked, and the next request works."""
import provider
from calls import Conversation, HungUp, message
from household import ACCOUNT, ADA, begin, is_valid
from people import is_armed, reader, session_at_seat, touch
from scenarios import Failure, check, main, run, scenario, until
from sleep import asleep

NOBODY = "no" * 8  # not the password of any user
SEEN = set()


class Request:
    """A request with a prompt. Its life is a generator, which stops at each of its moments."""

    def __init__(self, method="AccessToken", **parameters):
        self.method, self.parameters = method, parameters
        self.talk, self.prompt = Conversation(ADA), None
        # Whether its own check has the reader. Then its end is reported without a further call.
        self.has_reader = False
        # Whether an event is on its way, so that it is unknown which state the signal meets.
        self.is_racing = False
        self.is_spent, self.is_over = False, False

    def ask(self):
        """Pauses if there were too many prompts."""
        def answer():
            error, parameters = self.talk.call(self.method, **self.parameters)
            return error != "Busy" and (error, parameters)
        error, parameters = until(answer, "no prompt is open any more")
        check(error == "PresenceNeeded", f"no prompt is open: {error} {parameters}")
        self.prompt = parameters["prompt"]

    def arm(self):
        self.talk.send("Check", more=True, prompt=self.prompt, method="fingerprint")
        until(is_armed, "the reader was not armed")
        self.has_reader = True

    def ask_for_password(self):
        self.talk.send("Check", more=True, prompt=self.prompt, method="password")
        self.talk.expect("ask")

    def scan(self, finger):
        touch(finger)
        self.has_reader = False

    def repeat(self):
        self.is_spent = True
        self.talk.send(self.method, **self.parameters, prompt=self.prompt)

    def receive_token(self):
        error, parameters = self.talk.receive()
        check(error is None, f"no token: {error} {parameters}")
        check(is_valid(parameters["access_token"]), "the provider does not know the token")

    def is_refused(self):
        """Whether its prompt can release nothing now, or the vault has closed the connection."""
        try:
            error, parameters = self.talk.call(self.method, **self.parameters, prompt=self.prompt)
        except HungUp:
            return True
        return error is not None and "access_token" not in parameters


def newer_token():
    """A request for a token that only a refresh can bring: the stored one was rejected."""
    talk = Conversation(ADA)
    _, parameters = talk.call("AccessToken", account=ACCOUNT, ask=False)
    talk.close()
    known = parameters.get("access_token")
    return {"account": ACCOUNT, **({"rejected": known} if known else {})}


def token_request():
    return Request(**newer_token())


def by_finger(request):
    yield "nothing was asked yet"
    call = message(request.method, **request.parameters)
    request.talk.send_bytes(call[:len(call) // 2])
    yield "half a call was sent"
    request.talk.send_bytes(call[len(call) // 2:])
    request.prompt = request.talk.expect("PresenceNeeded")["prompt"]
    yield "the prompt is shown"
    request.talk.send("Check", more=True, prompt=request.prompt, method="fingerprint")
    request.is_racing = True
    yield "a finger is asked for"
    until(is_armed, "the reader was not armed")
    request.has_reader, request.is_racing = True, False
    yield "the reader is armed"
    request.scan("right-index")
    request.is_racing = True
    yield "the finger is on the reader"
    request.talk.expect("passed")
    request.is_racing = False
    yield "the check is passed"
    provider.hold_refresh()
    request.repeat()
    yield "the call is repeated"
    provider.wait_for_refresh()
    yield "the refresh is under way"
    provider.release()
    yield "the provider has answered"
    request.receive_token()
    request.is_over = True
    yield "the token is given"
    request.talk.close()
    yield "the caller has gone"


def by_the_wrong_finger(request):
    request.ask()
    request.arm()
    reader("RETRY 1")
    request.talk.expect("retry")
    yield "a scan was bad"
    request.scan("a-stranger")
    request.talk.expect("PresenceFailed")
    yield "a finger did not match"
    request.arm()
    yield "the reader is armed again"


def by_password(request):
    request.ask()
    request.ask_for_password()
    yield "the password is asked for"
    request.talk.send("Respond", more=True, prompt=request.prompt, text=ADA.password)
    request.is_racing = True
    yield "the right password is sent"
    request.talk.expect("passed")
    request.is_racing = False
    yield "the password was right"


def by_a_wrong_password(request):
    request.ask()
    request.ask_for_password()
    request.talk.send("Respond", more=True, prompt=request.prompt, text=NOBODY)
    request.talk.expect("waiting")
    yield "a wrong password is waited out"
    request.talk.expect("PresenceFailed")
    yield "a password was wrong"


def of_a_window(request):
    request.ask()
    request.arm()
    request.scan("right-index")
    request.talk.expect("passed")
    yield "the check for a window is passed"
    request.repeat()
    error, parameters = request.talk.receive()
    check(error is None, f"no window: {error} {parameters}")
    request.is_over = True
    yield "a window is open"
    provider.hold_refresh()
    request.talk.send("AccessToken", **newer_token(), ask=False)
    provider.wait_for_refresh()
    yield "a refresh is under way in a window"


LIVES = [(by_finger, token_request), (by_the_wrong_finger, token_request),
         (by_password, token_request), (by_a_wrong_password, token_request),
         (of_a_window, lambda: Request("Unlock", accounts=[]))]


def bystander():
    """Another prompt, whose end shows that the vault has received the signal."""
    talk = Conversation(ADA)
    prompt = talk.send("TestPresence").expect("PresenceNeeded")["prompt"]
    talk.send("Check", more=True, prompt=prompt, method="fingerprint", wait=True)
    return talk


def wait_for_end(talk):
    error, parameters = None, {}
    while not error and parameters.get("event") != "free":
        error, parameters = talk.receive()
    outcome = parameters.get("outcome", "cancelled")
    check(outcome == "cancelled", f"not by the signal: {error} {parameters}")


def lock(request, told):
    run("loginctl", "lock-session", session_at_seat(ADA))
    if told:
        wait_for_end(told)
    look_around(request, told)


def sleep(request, told):
    with asleep():
        check(request.is_racing or not is_armed(), "the reader is armed during sleep")
        if told is request.talk:
            wait_for_end(told)
        look_around(request, told)
        if told not in (None, request.talk):
            wait_for_end(told)


def look_around(request, told):
    talk = Conversation(ADA)
    _, status = talk.call("GetStatus")
    talk.close()
    check(status["unlocked"] is False, f"a window is open: {status}")
    if told and request.prompt and not request.is_spent:
        check(request.is_refused(), "what was asked before is still good")


def end(request):
    """The client continues as if nothing had happened, and gets nothing without a check."""
    if request.talk.socket.fileno() < 0:
        return
    provider.release()
    if request.is_spent and not request.is_over:
        request.talk.receive()
    request.talk.close()


def try_at(life, make, number, signal):
    """Sends the signal at the moment of this number, if there is one. Returns the moment's name."""
    revoked = provider.call("GET", "/_control/sessions")["revoked"]
    request = make()
    moments = life(request)
    moment = None
    for _ in range(number + 1):
        moment = next(moments, None)
        if moment is None:
            end(request)
            return None
    told = None
    try:
        if request.has_reader:
            told = request.talk
        elif not request.is_racing:
            told = bystander()
            until(lambda: is_armed() or told.has_reply(), "the other question has no turn")
        signal(request, told)
        end(request)
        if told not in (None, request.talk):
            told.close()
        until(lambda: not is_armed(), "the reader was not released")
        check(provider.call("GET", "/_control/sessions")["revoked"] == revoked,
              "a refresh token was sent twice")
        ask_again(with_password=life is by_a_wrong_password)
    except Exception as error:
        raise Failure(f"when {moment}: {error}") from error
    return moment


def ask_again(with_password):
    """The next request passes by a finger, or by the password, which also resets its failures."""
    request = token_request()
    request.ask()
    if with_password:
        request.ask_for_password()
        request.talk.send("Respond", more=True, prompt=request.prompt, text=ADA.password)
    else:
        request.arm()
        request.scan("right-index")
    request.talk.expect("passed")
    request.repeat()
    request.receive_token()
    request.talk.close()


def try_all(signal):
    provider.call("POST", "/_control/clear", {})
    for life, make in LIVES:
        number = 0
        while True:
            # The limit of prompts is not tested here.
            run("systemctl", "restart", "thumblatchd.service")
            moment = try_at(life, make, number, signal)
            if moment is None:
                break
            SEEN.add((signal, moment))
            number += 1


@scenario
def aLockedScreenEndsWhatItMeetsAtAnyMomentOfARequest():
    try_all(lock)


@scenario
def sleepEndsWhatItMeetsAtAnyMomentOfARequest():
    try_all(sleep)


@scenario
def noMomentWasLeftOut():
    for signal in (lock, sleep):
        met = [moment for by, moment in SEEN if by is signal]
        check(len(met) == 23, f"{signal.__name__}: {len(met)} moments")


main(begin)
