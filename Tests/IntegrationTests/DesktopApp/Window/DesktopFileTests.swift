import TestSupport
import Testing

/// The files that the desktop app's package installs in addition to the program.
struct DesktopFileTests {
  private static let share = BuiltPrograms.sourceDirectory + "/Sources/InstalledDesktop/usr/share"

  @Test
  func theDescriptionsAreValid() throws {
    let file = Self.share + "/applications/io.thumblatch.Desktop.desktop"
    try shell("/usr/bin/desktop-file-validate \(file)")
    let described = Self.share + "/metainfo/io.thumblatch.Desktop.metainfo.xml"
    try shell("/usr/bin/appstreamcli validate --no-net \(described)")
    let version = try shell("\(BuiltPrograms.path("thumblatch-desktop")) --version")
      .split(separator: " ")[1].trimmingPrefix("v")
    #expect(try shell("cat \(described)").contains("<release version=\"\(version.dropLast())\""))
  }

  @Test
  func theDescriptionsAreTranslated() throws {
    let directory = try ScratchDirectory()
    let (entry, metadata) = (
      "applications/io.thumblatch.Desktop.desktop",
      "metainfo/io.thumblatch.Desktop.metainfo.xml"
    )
    try shell(
      """
      cp -R \(Self.share)/applications \(Self.share)/metainfo \(directory.path)
      \(BuiltPrograms.sourceDirectory)/Scripts/translations --describe \(directory.path)
      cd \(directory.path)
      /usr/bin/desktop-file-validate \(entry)
      /usr/bin/appstreamcli validate --no-net \(metadata)
      grep -qx 'GenericName\\[de\\]=Token-Tresor' \(entry)
      grep -q '<li xml:lang="de">jedes Konto' \(metadata)
      """
    )
  }

  /// A text that only one of them has, an empty translation, or another format is an error.
  @Test
  func eachTextIsTranslated() throws {
    try shell("\(BuiltPrograms.sourceDirectory)/Scripts/translations --check")
  }

  @Test(arguments: [
    "scalable/apps/io.thumblatch.Desktop", "symbolic/apps/io.thumblatch.Desktop-symbolic",
  ])
  func theIconsAreDrawn(_ icon: String) throws {
    try python(
      """
      import gi, sys
      gi.require_version("GdkPixbuf", "2.0")
      from gi.repository import GdkPixbuf
      picture = GdkPixbuf.Pixbuf.new_from_file_at_size(sys.argv[1], 64, 64)
      opaque = sum(1 for alpha in picture.get_pixels()[3::4] if alpha > 128)
      assert opaque > 300, opaque
      """,
      "\(Self.share)/icons/hicolor/\(icon).svg"
    )
  }

  @Test(arguments: [
    "thumblatch", "thumblatch-cli", "thumblatchd", "thumblatch-presence", "thumblatch-exchange",
    "thumblatch-secret",
  ])
  func noOtherProgramIsLinkedWithGTK(_ program: String) throws {
    let linked = try shell("/usr/bin/readelf --dynamic \(BuiltPrograms.path(program))")
    #expect(!linked.contains("libgtk") && !linked.contains("libadwaita"))
  }
}
