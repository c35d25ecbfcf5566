// Equal texts read again and again become one: label keys, namespaces, images, reasons. A small cache per thread of
// what was read lately, so it costs a lookup and never grows.
#pragma once

#include "base/text.h"

namespace muster {

Text intern(std::string_view text);

}  // namespace muster
