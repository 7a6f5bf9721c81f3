// A library for LD_PRELOAD, so that a GTK program tells which of its texts are cut, and which of its
// controls overlap. AT-SPI has no natural sizes, and the whole text of a label that is cut.
//
// At SIGUSR1 it writes the faults of all windows into the file that LAYOUT_REPORT names, one a line.
#define _GNU_SOURCE
#include <adwaita.h>
#include <errno.h>
#include <glib-unix.h>
#include <stdio.h>
#include <stdlib.h>

// The borders and shadows of some controls reach into the next one.
static const float tolerance = 1;
// A control in a row may draw its border in the padding of the row.
static const float padding = 13;

static FILE *report;

// The first text of a control, which tells it from others; NULL if it has none.
static const char *text_of(GtkWidget *widget) {
  if (GTK_IS_LABEL(widget)) return gtk_label_get_text(GTK_LABEL(widget));
  GtkWidget *part = gtk_widget_get_first_child(widget);
  for (; part; part = gtk_widget_get_next_sibling(part)) {
    const char *text = text_of(part);
    if (text && *text) return text;
  }
  return NULL;
}

static void tell(const char *fault, GtkWidget *widget, const char *more) {
  const char *text = text_of(widget);
  char *line = g_strdelimit(g_strdup(text ? text : ""), "\n", ' ');
  fprintf(report, "%s: %s “%s” %s\n", fault, G_OBJECT_TYPE_NAME(widget), line, more);
  g_free(line);
}

static gboolean is_shown(GtkWidget *widget) {
  return gtk_widget_get_mapped(widget) && gtk_widget_get_child_visible(widget) &&
         gtk_widget_get_opacity(widget) > 0;
}

// Whether parts of a control lie above each other by design.
static gboolean has_layers(GtkWidget *widget) {
  static const char *const names[] = {
      "GtkOverlay", "AdwToastOverlay", "GtkScrolledWindow", "GtkSwitch", "GtkText",
      "GtkRange",   "GtkScrollbar",    "GtkPopover",        NULL};
  // The title of an entry row shrinks above its text.
  GtkWidget *row = gtk_widget_get_ancestor(widget, ADW_TYPE_ENTRY_ROW);
  return GTK_IS_WINDOW(widget) || g_strv_contains(names, G_OBJECT_TYPE_NAME(widget)) ||
         (row && strcmp(G_OBJECT_TYPE_NAME(widget), "AdwGizmo") == 0);
}

// Whether Pango adds a hyphen at the end of a line, which looks like a part of a name.
static gboolean has_added_hyphen(PangoLayout *layout) {
  for (GSList *line = pango_layout_get_lines_readonly(layout); line; line = line->next)
    for (GSList *run = ((PangoLayoutLine *)line->data)->runs; run; run = run->next)
      if (((PangoGlyphItem *)run->data)->item->analysis.flags & PANGO_ANALYSIS_FLAG_NEED_HYPHEN)
        return TRUE;
  return FALSE;
}

static void examine_label(GtkWidget *widget) {
  GtkLabel *label = GTK_LABEL(widget);
  PangoLayout *layout = gtk_label_get_layout(label);
  PangoRectangle ink, logical;
  pango_layout_get_pixel_extents(layout, &ink, &logical);
  // A space at the end of a line is not drawn.
  int across = ink.x + ink.width, down = logical.height;
  int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  if (!*gtk_label_get_text(label)) return;
  if (pango_layout_is_ellipsized(layout)) tell("ends in an ellipsis", widget, "");
  if (has_added_hyphen(layout)) tell("gets a hyphen", widget, "");
  if (across > width + tolerance || down > height + tolerance) {
    char *sizes = g_strdup_printf("%dx%d instead of %dx%d", width, height, across, down);
    tell("is cut", widget, sizes);
    g_free(sizes);
  }
}

static void compare(GtkWidget *one, graphene_rect_t *here, GtkWidget *other, graphene_rect_t *there) {
  graphene_rect_t both;
  if (!graphene_rect_intersection(here, there, &both)) return;
  if (both.size.width <= tolerance || both.size.height <= tolerance) return;
  const char *text = text_of(other);
  char *more = g_strdup_printf("with %s “%s”", G_OBJECT_TYPE_NAME(other), text ? text : "");
  tell("overlaps", one, more);
  g_free(more);
}

static void examine(GtkWidget *widget) {
  if (!is_shown(widget)) return;
  if (GTK_IS_LABEL(widget)) examine_label(widget);
  enum { MOST = 512 };
  GtkWidget *parts[MOST];
  graphene_rect_t places[MOST];
  int count = 0, width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  gboolean has_edges = !GTK_IS_SCROLLABLE(widget) && !has_layers(widget);
  GtkWidget *part = gtk_widget_get_first_child(widget);
  for (; part && count < MOST; part = gtk_widget_get_next_sibling(part)) {
    examine(part);
    graphene_rect_t *place = &places[count];
    if (!is_shown(part) || GTK_IS_NATIVE(part)) continue;
    if (!gtk_widget_compute_bounds(part, widget, place)) continue;
    if (place->size.width <= 0 || place->size.height <= 0) continue;
    float right = place->origin.x + place->size.width, end = place->origin.y + place->size.height;
    if (has_edges && text_of(part) &&
        (place->origin.x < -padding || right > width + padding || place->origin.y < -padding ||
         end > height + padding))
      tell("lies outside", part, G_OBJECT_TYPE_NAME(widget));
    for (int i = 0; i < count && !has_layers(widget); i++)
      compare(part, place, parts[i], &places[i]);
    parts[count++] = part;
  }
}

static gboolean examine_all(gpointer path) {
  char *unfinished = g_strconcat(path, ".new", NULL);
  report = fopen(unfinished, "w");
  GListModel *windows = gtk_window_get_toplevels();
  for (guint i = 0; report && i < g_list_model_get_n_items(windows); i++) {
    GtkWidget *window = g_list_model_get_item(windows, i);
    examine(window);
    g_object_unref(window);
  }
  if (report && fclose(report) == 0) rename(unfinished, path);
  g_free(unfinished);
  return G_SOURCE_CONTINUE;
}

__attribute__((constructor)) static void start(void) {
  char *path = getenv("LAYOUT_REPORT");
  // The app's children have the variables too.
  if (path && strcmp(program_invocation_short_name, "thumblatch-desktop") == 0)
    g_unix_signal_add(SIGUSR1, examine_all, path);
}
