"""The pages around django-oauth-toolkit, and its claims about users."""
from django.conf import settings
from django.contrib.auth.views import LoginView
from django.urls import include, path
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.views import AuthorizationView, OAuthServerMetadataView


class Validator(OAuth2Validator):
    def get_additional_claims(self, request):
        return {"email": request.user.email, "email_verified": True,
                "name": request.user.first_name, "preferred_username": request.user.username}


class EarlyAuthorizationView(AuthorizationView):
    """Judges the request before the user has signed in, as many providers do."""

    def handle_no_permission(self):
        try:
            self.validate_authorization_request(self.request)
        except OAuthToolkitError as error:
            return self.error_response(error, application=None)
        return super().handle_no_permission()


urlpatterns = [
    path("login/", LoginView.as_view(template_name="login.html")),
    *([path("o/authorize/", EarlyAuthorizationView.as_view())] if settings.EXACT_REDIRECTS else []),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    # RFC 8414, section 3.1: the well-known part comes before the issuer's path.
    path(".well-known/oauth-authorization-server/o", OAuthServerMetadataView.as_view()),
]
