"""Where dj-rest-auth answers."""
from django.urls import include, path

urlpatterns = [
    path("auth/registration/", include("dj_rest_auth.registration.urls")),
    path("auth/", include("dj_rest_auth.urls")),
]
