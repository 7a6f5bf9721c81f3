// The least program with a window of libadwaita: as large as the app's, and empty.
#include <adwaita.h>

static void activate(GApplication *application, gpointer nothing) {
  GtkWidget *window = adw_application_window_new(GTK_APPLICATION(application));
  gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
  gtk_window_present(GTK_WINDOW(window));
}

int main(int count, char **words) {
  AdwApplication *application = adw_application_new("io.thumblatch.Empty", G_APPLICATION_DEFAULT_FLAGS);
  g_signal_connect(application, "activate", G_CALLBACK(activate), NULL);
  return g_application_run(G_APPLICATION(application), count, words);
}
