"""Signs in at an identity provider's pages without a browser, with only the standard library.

    sign-in.py [options] URL

URL is the address that a browser would open: an authorization request, or the page of a device
code. The program finds and fills in forms, as a person would. It follows the redirect to a loopback
address like every other, and prints the page there. It may be used as $BROWSER. Exits with 1 if a
page is an error.
"""
import argparse
import html.parser
import http.cookiejar
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request


class Forms(html.parser.HTMLParser):
    """The forms of a page: target, fields, and the buttons that send them."""

    def __init__(self, text):
        super().__init__()
        self.forms = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.forms.append({"action": given.get("action") or "", "fields": {}, "buttons": []})
        elif self.forms and tag in ("input", "button") and given.get("type") != "submit":
            if given.get("name"):
                self.forms[-1]["fields"][given["name"]] = given.get("value") or ""
        elif self.forms and tag in ("input", "button"):
            self.forms[-1]["buttons"].append((given.get("name"), given.get("value") or ""))


class StopAtLoopback(urllib.request.HTTPRedirectHandler):
    """Records the redirect away from the provider, and follows it only if that is wanted."""

    def __init__(self, provider, follow):
        self.provider, self.follow, self.away = provider, follow, None

    def redirect_request(self, request, file, code, message, headers, url):
        if urllib.parse.urlsplit(url).netloc != self.provider:
            self.away = url
            if not self.follow:
                return None
        return super().redirect_request(request, file, code, message, headers, url)


class Person:
    def __init__(self, options):
        self.options = options
        provider = urllib.parse.urlsplit(options.url).netloc
        context = ssl.create_default_context(cafile=options.ca)
        self.redirects = StopAtLoopback(provider, not options.print_redirect)
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context),
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), self.redirects)

    def get(self, url, fields=None):
        data = urllib.parse.urlencode(fields).encode() if fields is not None else None
        request = urllib.request.Request(url, data)
        if fields is not None:
            request.add_header("Referer", url)
        try:
            with self.opener.open(request, timeout=120) as answer:
                return answer.status, answer.url, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, error.url, error.read().decode(errors="replace")

    def fill_in(self, form):
        """The fields to send, or None if the page asks nothing that a person here answers."""
        fields, buttons = dict(form["fields"]), dict(form["buttons"])
        deny = self.options.deny
        if "password" in fields:
            fields.update(username=self.options.user, password=self.options.password)
        elif "action" in buttons and "sub" not in fields:  # a device, or the mock's second form
            if "accept" not in [value for _, value in form["buttons"]]:
                return None
            fields["action"] = "deny" if deny else "accept"
        elif "allow" in buttons:
            fields.pop("allow", None)
            fields.update({} if deny else {"allow": buttons["allow"]})
        elif "sub" in fields:
            fields.update({"action": "deny"} if deny else {"sub": self.options.user})
        elif "user_code" in fields:
            fields["user_code"] = self.options.user_code or fields["user_code"]
        else:
            return None
        return fields

    def sign_in(self):
        """(status, page) of the last page. `redirects` has the addresses away from the provider."""
        status, url, text = self.get(self.options.url)
        asked = set()
        while not self.redirects.away and status < 400:
            forms = [(form, self.fill_in(form)) for form in Forms(text).forms]
            filled = [(form, fields) for form, fields in forms if fields is not None]
            if not filled:
                break
            form, fields = filled[0]
            if frozenset(fields) in asked:
                status = 400  # the same question again: the answer was wrong
                break
            asked.add(frozenset(fields))
            status, url, text = self.get(urllib.parse.urljoin(url, form["action"]), fields)
        return status, text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("url", metavar="URL")
    add("--user", default="ada@example.org")
    add("--password", default="provider-password")
    add("--user-code", help="what the device shows, where URL does not hold it")
    add("--deny", action="store_true", help="do not allow it")
    add("--ca", metavar="FILE", help="the CA to trust")
    add("--print-redirect", action="store_true",
        help="print the address that the provider leads back to, and do not go there")
    options = parser.parse_args()
    person = Person(options)
    status, text = person.sign_in()
    if options.print_redirect and person.redirects.away:
        print(person.redirects.away)
        return 0
    print(text)
    return 1 if status >= 400 else 0


if __name__ == "__main__":
    sys.exit(main())
