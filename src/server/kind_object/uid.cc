#include "server/kind_object/uid.h"

#include <string_view>

namespace muster::server {

std::string make_uid(Prng& random) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string uid = "xxxxxxxx-xxxx-4xxx-vxxx-xxxxxxxxxxxx";  // version 4, variant 8 to b
    for (char& c : uid) {
        if (c == 'x') c = kHex[random.below(16)];
        if (c == 'v') c = kHex[8 + random.below(4)];
    }
    return uid;
}

}  // namespace muster::server
