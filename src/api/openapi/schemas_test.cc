#include "api/openapi/schemas.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/codec/codec_test_types.h"
#include "api/codec/dom.h"

namespace muster::api {
namespace schemas_test {

using codec_test::Thing;

boost::json::object schemas() {
    const KindInfo* kinds[] = {&kind_info<Thing>()};
    std::string text;
    append_schemas(kinds, text);
    auto tree = parse_dom(text);
    EXPECT_TRUE(tree.ok()) << text;
    return tree->as_object();
}

boost::json::value json(std::string_view text) { return *parse_dom(text); }

TEST(Schemas, EveryReachedTypeAndTheListAreThere) {
    std::vector<std::string> names;
    for (const auto& schema : schemas()) names.emplace_back(schema.key());
    names.erase(
        std::remove_if(names.begin(), names.end(), [](const auto& name) { return name.starts_with("io.k8s."); }),
        names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"test.v1.Inner", "test.v1.Thing", "test.v1.ThingList"}));
}

TEST(Schemas, APropertySaysWhatItsDeclarationSays) {
    const auto properties = schemas().at("test.v1.Thing").at("properties").as_object();
    EXPECT_EQ(properties.at("title"), json(R"({"description":"Title.","type":"string"})"));
    EXPECT_EQ(properties.at("boxed"),
              json(R"({"description":"Boxed.","allOf":[{"$ref":"#/components/schemas/test.v1.Inner"}]})"));
    EXPECT_EQ(
        properties.at("items"),
        json(
            R"({"description":"Items.","type":"array","items":{"allOf":[{"$ref":"#/components/schemas/test.v1.Inner"}]},)"
            R"("x-kubernetes-list-type":"atomic"})"));
    EXPECT_EQ(properties.at("labels"),
              json(R"({"description":"Labels.","type":"object","additionalProperties":{"type":"string"}})"));
    EXPECT_EQ(properties.at("secret"), json(R"({"description":"Secret.","type":"string","format":"byte"})"));
    EXPECT_TRUE(properties.contains("readOnly")) << "inlined fields stand in the parent";
    EXPECT_FALSE(properties.contains("flat"));
    EXPECT_EQ(properties.at("later"), json(R"({"description":"Later. Its feature is off: the value is dropped.",)"
                                           R"("allOf":[{"$ref":"#/components/schemas/test.v1.Inner"}]})"));
    EXPECT_TRUE(properties.contains("executable")) << "of an inlined struct";
}

TEST(Schemas, SpecialScalarsHaveTheNamesThatClientsKnow) {
    const auto all = schemas();
    EXPECT_EQ(all.at("test.v1.Thing").at("properties").at("limits"),
              json(R"({"description":"Limits.","type":"object","additionalProperties":{"allOf":[)"
                   R"({"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}]}})"));
    const auto type_of = [&](const char* name) {
        auto schema = all.at(name).as_object();
        schema.erase("description");
        return boost::json::value(schema);
    };
    EXPECT_EQ(type_of("io.k8s.apimachinery.pkg.api.resource.Quantity"),
              json(R"({"oneOf":[{"type":"string"},{"type":"number"}]})"));
    EXPECT_EQ(type_of("io.k8s.apimachinery.pkg.apis.meta.v1.Time"), json(R"({"format":"date-time","type":"string"})"));
}

TEST(Schemas, AKindNamesItsGroupVersionKindAndItsRequiredFields) {
    const auto thing = schemas().at("test.v1.Thing").as_object();
    EXPECT_EQ(thing.at("x-kubernetes-group-version-kind"),
              json(R"([{"group":"test.example","version":"v1","kind":"Thing"}])"));
    EXPECT_EQ(thing.at("required"), json(R"(["always"])"));
    EXPECT_TRUE(thing.at("properties").as_object().contains("apiVersion"));
}

}  // namespace schemas_test
}  // namespace muster::api
