// libfido2: security keys over hidraw.
#pragma once
#include <fido.h>
