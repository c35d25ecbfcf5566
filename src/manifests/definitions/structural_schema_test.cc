#include "manifests/definitions/structural_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <set>

#include "api/codec/dom.h"
#include "api/defaults/queueing.h"
#include "api/kinds/kueue/v1beta1.h"
#include "manifests/definitions/field_rules.h"

namespace muster::manifests {
namespace structural_schema_test {

namespace queue = api::kueue;
namespace older = api::kueue::v1beta1;
using testing::Contains;

template <class F>
void for_each_schema(F f) {
    using api::kind_info;
    for (const api::KindInfo* kind :
         {&kind_info<queue::AdmissionCheck>(), &kind_info<queue::ClusterQueue>(), &kind_info<queue::Cohort>(),
          &kind_info<queue::LocalQueue>(), &kind_info<queue::ResourceFlavor>(), &kind_info<queue::Workload>(),
          &kind_info<queue::WorkloadPriorityClass>(), &kind_info<older::AdmissionCheck>(),
          &kind_info<older::ClusterQueue>(), &kind_info<older::LocalQueue>(), &kind_info<older::Workload>()})
        f(*kind, structural_schema(*kind));
}

// Calls f(path, schema) for a schema and all below it.
template <class F>
void walk(const std::string& path, const Object& schema, F f) {
    f(path, schema);
    if (const auto* properties = schema.if_contains("properties"))
        for (const auto& [name, property] : properties->as_object())
            walk(path + "." + std::string(name), property.as_object(), f);
    if (const auto* items = schema.if_contains("items")) walk(path + "[]", items->as_object(), f);
    if (const auto* values = schema.if_contains("additionalProperties")) walk(path + "{}", values->as_object(), f);
}

std::set<std::string> words_of(const Object& schema, const char* key) {
    std::set<std::string> all;
    if (const auto* list = schema.if_contains(key))
        for (const Tree& word : list->as_array()) all.emplace(word.as_string());
    return all;
}

TEST(StructuralSchema, EveryValueHasATypeAndNothingIsReferredTo) {
    for_each_schema([](const api::KindInfo& kind, const Object& root) {
        walk(kind.kind, root, [](const std::string& path, const Object& schema) {
            EXPECT_TRUE(schema.contains("type") || schema.contains("x-kubernetes-int-or-string")) << path;
            EXPECT_FALSE(schema.contains("$ref") || schema.contains("allOf")) << path;
        });
    });
}

TEST(StructuralSchema, TheKeysOfListsAreAlwaysThere) {
    for_each_schema([](const api::KindInfo& kind, const Object& root) {
        walk(kind.kind, root, [](const std::string& path, const Object& schema) {
            for (const std::string& key : words_of(schema, "x-kubernetes-list-map-keys")) {
                const Object& item = schema.at("items").as_object();
                EXPECT_TRUE(words_of(item, "required").contains(key) ||
                            item.at("properties").at(key).as_object().contains("default"))
                    << path << " " << key;
            }
        });
    });
}

TEST(StructuralSchema, APodTemplateKeepsWhatItHas) {
    const Object workload = structural_schema(api::kind_info<queue::Workload>());
    const Object& pods =
        workload.at("properties").at("spec").at("properties").at("podSets").at("items").at("properties").as_object();
    EXPECT_TRUE(pods.at("template").at("x-kubernetes-preserve-unknown-fields").as_bool());
    EXPECT_FALSE(pods.at("template").as_object().contains("properties"));
}

// Fills in defaults as an API server does: those of fields that are absent, where the struct is there.
void fill_defaults(const Object& schema, Tree& value) {
    if (value.is_array() && schema.contains("items"))
        for (Tree& element : value.as_array()) fill_defaults(schema.at("items").as_object(), element);
    if (!value.is_object() || !schema.contains("properties")) return;
    for (const auto& [name, property] : schema.at("properties").as_object()) {
        const auto* filling = property.as_object().if_contains("default");
        if (filling && !value.as_object().contains(name)) value.as_object()[name] = *filling;
        if (Tree* child = value.as_object().if_contains(name)) fill_defaults(property.as_object(), *child);
    }
}

// An object with what the text says, defaulted by its schema and then by the program, and by the program alone.
template <class K>
void expect_same_defaults(const char* text) {
    const auto read = [](const Tree& document) {
        K object{};
        EXPECT_TRUE(api::decode_dom(K::info(), &object, document).ok()) << boost::json::serialize(document);
        return object;
    };
    Tree document = api::parse_dom(text).value();
    K expected = read(document);
    api::default_queueing(expected);
    fill_defaults(structural_schema(api::kind_info<K>()), document);
    const K filled = read(document);
    EXPECT_EQ(boost::json::serialize(api::to_dom(K::info(), &filled).value()),
              boost::json::serialize(api::to_dom(K::info(), &expected).value()));
}

TEST(StructuralSchema, DefaultsAreThoseOfTheProgram) {
    expect_same_defaults<queue::ClusterQueue>(R"({"spec":{}})");
    expect_same_defaults<queue::ClusterQueue>(R"({"spec":{"preemption":{"reclaimWithinCohort":"Any"},
        "fairSharing":{},"flavorFungibility":{"whenCanBorrow":"TryNextFlavor"}}})");
    expect_same_defaults<queue::Cohort>(R"({"spec":{"fairSharing":{}}})");
    expect_same_defaults<queue::LocalQueue>(R"({"spec":{"fairSharing":{}}})");
    expect_same_defaults<queue::Workload>(R"({"spec":{"podSets":[{"template":{}}]},
        "status":{"admission":{"podSetAssignments":[{}]}}})");
}

// Every type that the schemas reach, by name, with its fields.
void collect(const api::TypeInfo& type, std::map<std::string, std::set<std::string>>& all);
void collect(const api::ValueInfo& value, std::map<std::string, std::set<std::string>>& all) {
    if (value.shape == api::Shape::kStruct) return collect(value.type(), all);
    if (value.element) collect(*value.element, all);
}
void collect(const api::TypeInfo& type, std::map<std::string, std::set<std::string>>& all) {
    if (!type.package.starts_with("io.x-k8s.kueue")) return;
    std::set<std::string>& fields = all[type.name];
    fields.insert("");
    for (const api::FieldInfo& field : type.json_fields) {
        fields.insert(field.json);
        collect(*field.value, all);
    }
}

TEST(FieldRules, EveryRowIsAboutAFieldThatExists) {
    std::map<std::string, std::set<std::string>> known;
    for_each_schema([&](const api::KindInfo& kind, const Object&) { collect(kind.type(), known); });
    for (const FieldRule& rule : field_rules()) EXPECT_THAT(known[rule.type], Contains(rule.field)) << rule.type;
    for (const CelRule& rule : cel_rules()) EXPECT_THAT(known[rule.type], Contains(rule.field)) << rule.type;
}

TEST(FieldRules, RulesOfTheStoredVersionAreNotInTheOlderOne) {
    const Object stored = structural_schema(api::kind_info<queue::Workload>());
    const Object old = structural_schema(api::kind_info<older::Workload>());
    EXPECT_TRUE(stored.contains("x-kubernetes-validations"));
    EXPECT_FALSE(old.contains("x-kubernetes-validations"));
}

}  // namespace structural_schema_test
}  // namespace muster::manifests
