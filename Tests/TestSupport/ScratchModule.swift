internal import Glibc
internal import System

/// Shared objects that are compiled for a test.
public enum ScratchModule {
  /// The module could not be compiled.
  public struct Failure: Error {}

  /// Makes a PAM module with forbidden behaviour, and returns its path.
  ///
  /// Its first argument chooses the behaviour: see the source. It accepts any answer.
  public static func make(in directory: String) throws -> String {
    try compile("hostile", hostile, in: directory)
  }

  /// Makes a library for LD_PRELOAD that counts a program's allocations and prints them at its end.
  ///
  /// Returns its path.
  public static func makeAllocationCounter(in directory: String) throws -> String {
    try compile("counter", counter, in: directory)
  }

  private static func compile(
    _ name: String,
    _ source: String,
    in directory: String
  ) throws -> String {
    let path = "\(directory)/\(name).so"
    _ = try? Directory(path: directory).unlink(name + ".c")
    try Directory(path: directory).create(name + ".c").write(source)
    // The toolchain's own compiler, else the distribution's.
    let search = ThisProcess.environment("PATH") ?? "/usr/bin"
    let candidates = ["clang", "cc"].flatMap { name in
      search.split(separator: ":").map { "\($0)/\(name)" }
    }
    guard let compiler = candidates.first(where: { unsafe access($0, X_OK) == 0 }) else {
      throw Failure()
    }
    let child = try ChildProcess(
      path: compiler,
      arguments: ["-shared", "-fPIC", "-o", path, "\(directory)/\(name).c"],
      environment: ["PATH=\(search)"],
      descriptors: [-1, 1, 2]
    )
    guard try child.wait() == .exited(0) else { throw Failure() }
    return path
  }

  private static let counter = #"""
    #include <stdatomic.h>
    #include <stdio.h>
    #include <stdlib.h>

    // The GNU C library's own, under the names that stay when the others are taken.
    extern void *__libc_malloc(size_t);
    extern void *__libc_calloc(size_t, size_t);
    extern void *__libc_realloc(void *, size_t);
    extern void *__libc_memalign(size_t, size_t);
    static atomic_long count;

    void *malloc(size_t size) { count++; return __libc_malloc(size); }
    void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
    void *realloc(void *old, size_t size) { count++; return __libc_realloc(old, size); }
    void *aligned_alloc(size_t alignment, size_t size) {
      count++;
      return __libc_memalign(alignment, size);
    }
    int posix_memalign(void **space, size_t alignment, size_t size) {
      count++;
      *space = __libc_memalign(alignment, size);
      return *space ? 0 : 12;
    }
    __attribute__((destructor)) static void tell(void) {
      fprintf(stderr, "allocations %ld\n", count);
    }

    """#

  private static let hostile = #"""
    #include <security/pam_appl.h>
    #include <security/pam_modules.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>

    static int is(const char *what, const char *name) { return strcmp(what, name) == 0; }

    int pam_sm_authenticate(pam_handle_t *handle, int flags, int argc, const char **argv) {
      const char *what = argc > 0 ? argv[0] : "";
      const void *item = NULL;
      pam_get_item(handle, PAM_CONV, &item);
      const struct pam_conv *conversation = item;
      static char endless[10000];
      memset(endless, 'x', sizeof endless - 1);
      struct pam_message messages[40];
      const struct pam_message *pointers[40];
      for (int i = 0; i < 40; i++) {
        messages[i].msg_style = PAM_PROMPT_ECHO_OFF;
        messages[i].msg = "Password: ";
        pointers[i] = &messages[i];
      }
      int count = 1;
      const struct pam_message **given = pointers;
      struct pam_response *answers = NULL, **place = &answers;
      if (is(what, "null-place")) place = NULL;
      if (is(what, "null-messages")) given = NULL;
      if (is(what, "null-message")) pointers[0] = NULL;
      if (is(what, "null-text")) messages[0].msg = NULL;
      if (is(what, "zero")) count = 0;
      if (is(what, "minus")) count = -1;
      if (is(what, "33")) count = 33;
      if (is(what, "32")) count = 32;
      if (is(what, "binary")) messages[0].msg_style = PAM_BINARY_PROMPT;
      if (is(what, "radio")) messages[0].msg_style = PAM_RADIO_TYPE;
      if (is(what, "style")) messages[0].msg_style = 4711;
      if (is(what, "late-binary")) { count = 2; messages[1].msg_style = PAM_BINARY_PROMPT; }
      if (is(what, "ansi")) messages[0].msg = "\033[2JPass\u202eword\r\n\x07: \xff\xfe";
      if (is(what, "endless")) messages[0].msg = endless;
      if (is(what, "visible")) {
        messages[0].msg_style = PAM_PROMPT_ECHO_ON;
        messages[0].msg = "Code: ";
      }
      if (is(what, "crash")) abort();
      if (is(what, "hang")) for (;;) pause();
      int status = conversation->conv(count, given, place, conversation->appdata_ptr);
      if (status == PAM_SUCCESS && answers != NULL) {
        // The application must have allocated them with malloc(3), in the requested number.
        for (int i = 0; i < count; i++) {
          if (answers[i].resp != NULL) memset(answers[i].resp, 0, strlen(answers[i].resp));
          free(answers[i].resp);
        }
        free(answers);
      }
      if (is(what, "user")) pam_set_item(handle, PAM_USER, "nobody");
      return PAM_SUCCESS;
    }
    int pam_sm_setcred(pam_handle_t *handle, int flags, int argc, const char **argv) {
      return PAM_SUCCESS;
    }
    int pam_sm_acct_mgmt(pam_handle_t *handle, int flags, int argc, const char **argv) {
      return PAM_SUCCESS;
    }

    """#
}
