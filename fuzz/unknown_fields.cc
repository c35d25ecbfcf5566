// Fields that a type does not know survive decoding and encoding: those in any bytes that can be read as a Pod, and
// random ones at every level of every kind. The first byte of an input names the kind, the next eight are the seed.
#include "api/testing/unknown_fields.h"

#include <cstring>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/kinds/kind_list.h"
#include "api/testing/filler.h"
#include "base/check.h"

namespace {

using namespace muster;
using Encoding = api::UnknownFields::Encoding;

constexpr api::DecodeLimits kKeep{.keep_unknown = true};

template <class K>
void check_json(const K& object) {
    const std::string json = api::to_json(object);
    K back{};
    CHECK(api::decode_json(K::info(), &back, json, kKeep).ok(), json);
    CHECK(back == object, json);
    CHECK(api::to_json(back) == json, json);
}

template <class K>
void check_protobuf(const K& object) {
    const std::string bytes = api::to_protobuf(object);
    K back{};
    CHECK(api::decode_protobuf(K::info(), &back, bytes, kKeep).ok(), K::kTypeName);
    CHECK(api::to_protobuf(back) == bytes, K::kTypeName);
}

template <class K>
K make_object(std::uint64_t seed, Encoding encoding) {
    K object{};
    api::Filler(seed).fill(K::info(), &object);
    api::UnknownFields(seed, encoding).add_to(K::info(), &object);
    return object;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using api::core::Pod;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    Pod from_json;
    if (api::decode_json(Pod::info(), &from_json, input, kKeep).ok()) check_json(from_json);
    Pod from_protobuf;
    if (api::decode_protobuf(Pod::info(), &from_protobuf, input, kKeep).ok()) check_protobuf(from_protobuf);

    std::uint64_t seed = 0;
    if (size <= sizeof seed) return 0;
    std::memcpy(&seed, data + 1, sizeof seed);
    std::size_t kinds_before = data[0];
    api::for_each_kind([&]<class K>() {
        if (kinds_before-- != 0) return;
        check_json(make_object<K>(seed, Encoding::kJson));
        check_protobuf(make_object<K>(seed, Encoding::kProtobuf));
    });
    return 0;
}
