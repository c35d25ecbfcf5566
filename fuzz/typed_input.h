// What the decoding targets share: whatever was read comes back the same from what we print of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/kinds/core/pod.h"
#include "base/check.h"

namespace muster::fuzz {

inline void check_round_trips(const api::core::Pod& pod) {
    const std::string json = api::to_json(pod);
    const auto from_json = api::from_json<api::core::Pod>(json);
    CHECK(from_json.ok(), json);
    CHECK(*from_json == pod, json);
    CHECK(api::to_json(*from_json) == json, json);
    const auto from_protobuf = api::from_protobuf<api::core::Pod>(api::to_protobuf(pod));
    CHECK(from_protobuf.ok(), json);
    CHECK(*from_protobuf == pod, json);
}

}  // namespace muster::fuzz
