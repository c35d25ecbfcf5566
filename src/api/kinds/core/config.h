// ConfigMap and Secret: data for pods, as environment variables or files.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::core {

struct ConfigMap {
    KIND(ConfigMap, "Settings for pods to use. At most 1 MiB.", .plural = "configmaps", .short_names = "cm",
         .access = Access::kEdit, .counted_by_plural = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, Map<Text>, data,
          "Text by key. Keys are letters, digits, dashes, underscores and dots, and none is also in binaryData.")
    FIELD(3, Map<Bytes>, binary_data, "Bytes by key, in base64. No key is also in data.")
    FIELD(4, std::optional<bool>, immutable, "True freezes the data for good; only metadata can change then.")
};

struct Secret {
    KIND(Secret, "Passwords, tokens and keys for pods to use. At most 1 MiB.", .plural = "secrets",
         .access = Access::kWrite, .secret = true, .counted_by_plural = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, Map<Bytes>, data, "Bytes by key, in base64. Keys are letters, digits, dashes, underscores and dots.")
    FIELD(3, Text, type, "What the secret is, for programs; some types demand certain keys. Opaque by default.")
    FIELD(4, Map<Text>, string_data,
          "Text by key, for writing without base64. It goes into data, over what is there, and is never read back.")
    FIELD(5, std::optional<bool>, immutable, "True freezes the data for good; only metadata can change then.")
};

}  // namespace muster::api::core
