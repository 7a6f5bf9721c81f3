// libqrencode: QRcode_encodeData(3), QRcode_free(3).
#pragma once
#include <qrencode.h>
