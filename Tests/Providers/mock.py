"""oidc-provider-mock as an identity provider: it never rotates, and needs no password."""
import datetime
import logging
import os
import warnings

USER = "ada@example.org"


class Provider:
    def __init__(self, options, url):
        os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # plain HTTP, on loopback
        logging.disable(logging.WARNING)
        warnings.showwarning = lambda *_, **__: None  # authlib insists on its own
        import oidc_provider_mock
        self.url = self.issuer = url
        self.token_path = "/oauth2/token"
        user = oidc_provider_mock.User(sub=USER, claims={"email": USER, "name": "Ada"})
        self.app = oidc_provider_mock.app(
            access_token_max_age=datetime.timedelta(seconds=options.access_lifetime),
            user_claims=[user])
        self.app.debug = False
        # Without the debugger around it, which appears on an error.
        self.application = self.app.wsgi_app.app

    def call_revoke(self, user=USER):
        self.app.test_client().post("/users/%s/revoke-tokens" % user)

    def call_counts(self):
        return {}
