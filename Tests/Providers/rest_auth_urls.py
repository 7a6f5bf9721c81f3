"""The addresses of dj-rest-auth, and of simplejwt with its sliding tokens."""
from django.urls import include, path
from rest_framework_simplejwt.views import TokenObtainSlidingView, TokenRefreshSlidingView

urlpatterns = [
    path("auth/registration/", include("dj_rest_auth.registration.urls")),
    path("auth/sliding/", TokenObtainSlidingView.as_view()),
    path("auth/sliding/refresh/", TokenRefreshSlidingView.as_view()),
    path("auth/", include("dj_rest_auth.urls")),
]
