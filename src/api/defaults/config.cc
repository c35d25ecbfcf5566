#include "api/defaults/config.h"

namespace muster::api {

void default_secret(core::Secret& secret) {
    if (secret.type.empty()) secret.type = "Opaque";
    for (const auto& [key, value] : secret.string_data) secret.data.set(key, Bytes{value});
    secret.string_data.reset();
}

}  // namespace muster::api
