#include "api/kinds/api_resources.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"

namespace muster::api::meta {
namespace api_resources_test {

TEST(ApiResource, ItsVerbsAreAMessageInProtobufAndAListInJson) {
    APIResource resource;
    resource.name = "pods";
    resource.verbs = List<Text>{Text("get"), Text("list")};
    std::string bytes;
    append_protobuf(APIResource::info(), &resource, bytes);
    EXPECT_EQ(bytes, "\x0a\x04pods\x22\x0b\x0a\x03get\x0a\x04list");
    APIResource read;
    ASSERT_TRUE(decode_protobuf(APIResource::info(), &read, bytes).ok());
    EXPECT_TRUE(read == resource);
    std::string json;
    append_json(APIResource::info(), &resource, json);
    EXPECT_NE(json.find(R"("verbs":["get","list"])"), std::string::npos) << json;
}

TEST(ApiResource, VerbsThatAreNoMessageAreRefused) {
    APIResource read;
    EXPECT_FALSE(decode_protobuf(APIResource::info(), &read, "\x22\x03get").ok());
}

}  // namespace api_resources_test
}  // namespace muster::api::meta
