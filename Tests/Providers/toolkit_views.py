"""The pages around django-oauth-toolkit, and its claims about users."""
from django.contrib.auth.views import LoginView
from django.urls import include, path
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.views import OAuthServerMetadataView


class Validator(OAuth2Validator):
    def get_additional_claims(self, request):
        return {"email": request.user.email, "email_verified": True,
                "name": request.user.first_name, "preferred_username": request.user.username}


urlpatterns = [
    path("login/", LoginView.as_view(template_name="login.html")),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    # RFC 8414, section 3.1: the well-known part comes before the issuer's path.
    path(".well-known/oauth-authorization-server/o", OAuthServerMetadataView.as_view()),
]
