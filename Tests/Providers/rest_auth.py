"""dj-rest-auth as a password backend, with its state in memory. It uses JSON Web Tokens of
simplejwt. Each refresh token is good for one use, and used ones go onto a blacklist."""
import datetime
import os

import django
from django.conf import settings


class Provider:
    """The users and the tokens."""

    def __init__(self, options, url):
        self.url = self.issuer = url
        self.token_path = "/auth/token/refresh/"
        settings.configure(**self.settings(options))
        django.setup()
        from django.core.management import call_command
        from django.core.wsgi import get_wsgi_application
        call_command("migrate", run_syncdb=True, verbosity=0)
        self.application = get_wsgi_application()

    def settings(self, options):
        own = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
               "allauth", "allauth.account", "allauth.socialaccount", "rest_framework", "dj_rest_auth",
               "dj_rest_auth.registration", "rest_framework_simplejwt.token_blacklist"]
        return {
            "DEBUG": False, "SECRET_KEY": os.urandom(24).hex(), "ALLOWED_HOSTS": ["*"],
            "USE_TZ": True, "ROOT_URLCONF": "rest_auth_urls", "INSTALLED_APPS": own,
            "MIGRATION_MODULES": {app.split(".")[-1]: None for app in own},
            "DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
            "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
            # The passwords need no protection here, and a login should not take half a second.
            "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
            "MIDDLEWARE": ["django.contrib.sessions.middleware.SessionMiddleware",
                           "django.contrib.auth.middleware.AuthenticationMiddleware",
                           "allauth.account.middleware.AccountMiddleware"],
            "AUTHENTICATION_BACKENDS": ["allauth.account.auth_backends.AuthenticationBackend"],
            "ACCOUNT_LOGIN_METHODS": {"email"}, "ACCOUNT_EMAIL_VERIFICATION": "none",
            "ACCOUNT_SIGNUP_FIELDS": ["email*", "username", "password1*", "password2*"],
            "ACCOUNT_RATE_LIMITS": False,
            "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend",
            "LOGGING": {"version": 1, "handlers": {"none": {"class": "logging.NullHandler"}},
                        "root": {"handlers": ["none"]}},
            "REST_FRAMEWORK": {"DEFAULT_AUTHENTICATION_CLASSES": [
                "dj_rest_auth.jwt_auth.JWTCookieAuthentication"]},
            # Otherwise it would keep the refresh token in a cookie, where a program cannot read it.
            "REST_AUTH": {"USE_JWT": True, "JWT_AUTH_HTTPONLY": False, "SESSION_LOGIN": False,
                          "TOKEN_MODEL": None},
            "SIMPLE_JWT": {
                "ROTATE_REFRESH_TOKENS": options.refresh != "fixed",
                "BLACKLIST_AFTER_ROTATION": options.refresh != "fixed",
                "ACCESS_TOKEN_LIFETIME": datetime.timedelta(seconds=options.access_lifetime),
                "SLIDING_TOKEN_LIFETIME": datetime.timedelta(seconds=options.access_lifetime),
                "AUTH_TOKEN_CLASSES": ["rest_framework_simplejwt.tokens.AccessToken",
                                       "rest_framework_simplejwt.tokens.SlidingToken"]}}

    def call_counts(self):
        from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken
        dead = BlacklistedToken.objects.count()
        return {"refresh_tokens": OutstandingToken.objects.count(), "blacklisted": dead,
                "live_refresh_tokens": OutstandingToken.objects.count() - dead}

    def call_add_user(self, email):
        from django.contrib.auth.models import User
        User.objects.create_user(email, email, "provider-password")

    def call_revoke(self, user=None):
        from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken
        for token in OutstandingToken.objects.filter(**{"user__email": user} if user else {}):
            BlacklistedToken.objects.get_or_create(token=token)

    def call_verify(self):
        """Marks all addresses as confirmed. Only a confirmed address is refused for a second
        user."""
        from allauth.account.models import EmailAddress
        EmailAddress.objects.update(verified=True)
