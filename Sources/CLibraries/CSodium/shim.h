// libsodium: sodium_init and crypto_box.
#pragma once
#include <sodium/core.h>
#include <sodium/crypto_box.h>
