// libsodium: sodium_init, crypto_box and crypto_pwhash.
#pragma once
#include <sodium/core.h>
#include <sodium/crypto_box.h>
#include <sodium/crypto_pwhash.h>
