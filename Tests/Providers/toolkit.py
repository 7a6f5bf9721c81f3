"""django-oauth-toolkit as an identity provider, with its state in memory."""
import datetime
import hashlib
import json
import os
import time

import django
from django.conf import settings

CLIENT, CONFIDENTIAL, SECRET = "thumblatch", "thumblatch-confidential", "client-secret"
USER, PASSWORD = "ada@example.org", "provider-password"
CALLBACKS = ["http://%s/callback" % host for host in ("127.0.0.1", "[::1]", "localhost")]
REFRESH = {  # the effect of a refresh token's use
    "fixed": {"ROTATE_REFRESH_TOKEN": False},
    "rotate": {},
    "protect": {"REFRESH_TOKEN_REUSE_PROTECTION": True},
    "grace": {"REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 120},
    "expire": {"REFRESH_TOKEN_EXPIRE_SECONDS": 3600},
}
SCOPES = {"openid": "Who you are", "profile": "Your name", "email": "Your e-mail address",
          "offline_access": "Work while you are away", "read": "Read what is yours",
          "write": "Change what is yours"}


def private_key():
    from jwcrypto import jwk
    return jwk.JWK.generate(kty="RSA", size=2048)


def pem(key):
    return key.export_to_pem(private_key=True, password=None).decode()


class Provider:
    """The applications, the users and the tokens."""

    users = [USER, "grace@example.org"]

    def __init__(self, options, url):
        os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # plain HTTP, on loopback
        self.url, self.issuer, self.token_path = url, url + "/o", "/o/token/"
        self.key = private_key()
        settings.configure(**self.settings(options))
        django.setup()
        from django.core.management import call_command
        from django.core.wsgi import get_wsgi_application
        call_command("migrate", run_syncdb=True, verbosity=0)
        self.register(options)
        self.application = get_wsgi_application()

    def settings(self, options):
        here = os.path.dirname(os.path.abspath(__file__))
        oauth = {
            "OIDC_ENABLED": True, "OIDC_ISS_ENDPOINT": self.issuer,
            "OIDC_RSA_PRIVATE_KEY": pem(self.key), "SCOPES": SCOPES,
            "OAUTH2_VALIDATOR_CLASS": "toolkit_views.Validator",
            "ACCESS_TOKEN_EXPIRE_SECONDS": options.access_lifetime,
            "ID_TOKEN_EXPIRE_SECONDS": 600, "DEVICE_FLOW_INTERVAL": options.device_interval,
            "OAUTH_DEVICE_VERIFICATION_URI": self.issuer + "/device/",
            "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE":
                lambda code: "%s/device/?user_code=%s" % (self.issuer, code),
            "ALLOW_LOCALHOST_LOOPBACK": True,
            "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": options.response_iss,
            **REFRESH[options.refresh]}
        own = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
               "oauth2_provider"]
        return {
            "DEBUG": False, "SECRET_KEY": os.urandom(24).hex(), "ALLOWED_HOSTS": ["*"],
            "USE_TZ": True, "ROOT_URLCONF": "toolkit_views", "LOGIN_URL": "/login/",
            "INSTALLED_APPS": own, "MIGRATION_MODULES": {app.split(".")[-1]: None for app in own},
            "DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
            "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
            # The passwords need no protection here, and a login should not take half a second.
            "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
            "MIDDLEWARE": ["django.contrib.sessions.middleware.SessionMiddleware",
                           "django.middleware.csrf.CsrfViewMiddleware",
                           "django.contrib.auth.middleware.AuthenticationMiddleware"],
            "TEMPLATES": [{"BACKEND": "django.template.backends.django.DjangoTemplates",
                           "DIRS": [here + "/templates"], "APP_DIRS": True, "OPTIONS": {
                               "context_processors": [
                                   "django.template.context_processors.request",
                                   "django.contrib.auth.context_processors.auth"]}}],
            "LOGGING": {"version": 1, "handlers": {"none": {"class": "logging.NullHandler"}},
                        "root": {"handlers": ["none"]}},
            "OAUTH2_PROVIDER": oauth, "EXACT_REDIRECTS": options.exact_redirects}

    def register(self, options):
        from oauth2_provider.models import Application
        for email in self.users:
            self.call_add_user(email)
        # An application of this library has one grant. The library documents this override for more
        # grants.
        Application.allows_grant_type = lambda application, *_: True
        if options.exact_redirects:
            Application.redirect_uri_allowed = (
                lambda application, uri: uri in application.redirect_uris.split())
        shared = {"authorization_grant_type": "authorization-code", "algorithm": "RS256",
                  "redirect_uris": " ".join(CALLBACKS), "skip_authorization": not options.consent}
        Application.objects.create(client_id=CLIENT, client_type="public", name="Thumblatch",
                                   client_secret="", **shared)
        Application.objects.create(
            client_id=CONFIDENTIAL, client_type="confidential", client_secret=SECRET,
            name="Thumblatch with a secret", **shared)

    def call_counts(self):
        from django.utils import timezone
        from oauth2_provider.models import AccessToken, RefreshToken
        live = RefreshToken.objects.filter(revoked=None)
        return {"live_refresh_tokens": live.count(),
                "refresh_tokens": RefreshToken.objects.count(),
                "live_access_tokens": AccessToken.objects.filter(expires__gt=timezone.now()).count(),
                # A family's first refresh token came with a sign-in, and each other one by a
                # rotation.
                "rotations": RefreshToken.objects.count()
                - RefreshToken.objects.values("token_family").distinct().count()}

    def call_revoke(self, user=None):
        from oauth2_provider.models import RefreshToken
        found = RefreshToken.objects.filter(revoked=None)
        for token in found.filter(user__username=user) if user else found:
            token.revoke()

    def call_age(self, seconds):
        """Ages all tokens, codes and device codes by this many seconds."""
        from django.db.models import F
        from oauth2_provider.models import AccessToken, DeviceGrant, Grant, RefreshToken
        gone = datetime.timedelta(seconds=seconds)
        for model in (AccessToken, Grant, DeviceGrant):
            model.objects.update(expires=F("expires") - gone)
        RefreshToken.objects.exclude(revoked=None).update(revoked=F("revoked") - gone)
        for device in DeviceGrant.objects.all():
            device.is_expired()  # which records the expiry

    def call_rotate_keys(self, keep=True):
        from oauth2_provider.settings import oauth2_settings
        old, self.key = self.key, private_key()
        oauth2_settings.OIDC_RSA_PRIVATE_KEY = pem(self.key)
        oauth2_settings.OIDC_RSA_PRIVATE_KEYS_INACTIVE = [pem(old)] if keep else []

    def call_set(self, **given):
        from oauth2_provider.settings import oauth2_settings
        for name, value in given.items():
            getattr(oauth2_settings, name)  # an unknown name is an error
            setattr(oauth2_settings, name, value)

    def call_add_user(self, email):
        from django.contrib.auth.models import User
        User.objects.create_user(email, email, PASSWORD, first_name=email.split("@")[0].title())

    def call_register_redirects(self, uris):
        from oauth2_provider.models import Application
        Application.objects.update(redirect_uris=" ".join(uris))

    def call_devices(self, status=None, user=USER, user_code=None):
        from oauth2_provider.models import DeviceGrant
        if status:
            from django.contrib.auth.models import User
            found = DeviceGrant.objects.filter(**{"user_code": user_code} if user_code else {})
            found.update(status=status, user=User.objects.get(username=user))
        return {"devices": list(DeviceGrant.objects.values("user_code", "status", "scope"))}

    def owner_of(self, refresh_token):
        """The user and the family of a refresh token."""
        from oauth2_provider.models import RefreshToken
        found = RefreshToken.objects.select_related("user").get(
            token_checksum=hashlib.sha256(refresh_token.encode()).hexdigest())
        return found.user.username, str(found.token_family)

    def resign(self, token, claims, key=None):
        """An ID token with changed claims, signed again. `key` is "other" or "none"."""
        from jwcrypto import jwt
        from jwcrypto.common import base64url_decode, base64url_encode
        header, body, _ = token.split(".")
        header, body = (json.loads(base64url_decode(part)) for part in (header, body))
        for name, value in claims.items():
            body[name] = int(time.time()) + value if name in ("exp", "iat") else value
        body = {name: value for name, value in body.items() if value is not None}
        if key == "none":
            plain = base64url_encode('{"alg":"none"}'), base64url_encode(json.dumps(body))
            return "%s.%s." % plain
        made = jwt.JWT(header=json.dumps(header), claims=json.dumps(body))
        made.make_signed_token(private_key() if key == "other" else self.key)
        return made.serialize()
