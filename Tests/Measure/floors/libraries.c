// bare.c with the libraries of the exchange helper, which are loaded and made ready and not used.
#include <curl/curl.h>
#include <unistd.h>
int main(void) {
  char byte;
  if (curl_global_init(CURL_GLOBAL_ALL) != CURLE_OK) return 1;
  CURL *request = curl_easy_init();
  if (!request) return 1;
  if (read(0, &byte, 1) != 1 || write(0, &byte, 1) != 1) return 1;
  curl_easy_cleanup(request);
  return 0;
}
