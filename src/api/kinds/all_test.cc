#include "api/kinds/all.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "api/kinds/apidiscovery.h"
#include "api/kinds/batch.h"
#include "api/kinds/meta/meta.h"

namespace muster::api {
namespace all_test {

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        parts.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

// A value without the pointer around it.
const ValueInfo& bare(const ValueInfo& value) {
    return value.shape == Shape::kOptional || value.shape == Shape::kBox ? *value.element : value;
}

bool is_declared_list(const ValueInfo& value) {
    return value.shape == Shape::kList && value.element->shape == Shape::kStruct;
}

void collect_types(const TypeInfo& type, std::map<std::string, const TypeInfo*>& out) {
    if (!out.emplace(type.package + "." + type.name, &type).second) return;
    for (const FieldInfo& field : type.fields) {
        const ValueInfo* value = field.value;
        while (value->element) value = value->element;
        if (value->shape == Shape::kStruct) collect_types(value->type(), out);
    }
}

// Every type that some kind contains, by its full name.
const std::map<std::string, const TypeInfo*>& every_type() {
    static const auto types = [] {
        std::map<std::string, const TypeInfo*> out;
        for (const KindInfo* kind : all_kinds()) collect_types(kind->type(), out);
        return out;
    }();
    return types;
}

void for_each_field(const std::function<void(const FieldInfo&)>& look) {
    for (const auto& [name, type] : every_type())
        for (const FieldInfo& field : type->fields) {
            SCOPED_TRACE(name + "." + field.json);
            look(field);
        }
}

bool is_sentence(const std::string& doc) {
    return doc.size() > 2 && doc.ends_with('.') && !doc.ends_with("..") && doc.find("  ") == std::string::npos;
}

TEST(EveryKind, IsFoundByItsNameAndByItsResource) {
    for (const KindInfo* kind : all_kinds()) {
        EXPECT_EQ(find_kind(kind->group, kind->version, kind->kind), kind);
        if (kind->options.plural) {
            EXPECT_EQ(find_resource(kind->group, kind->version, kind->options.plural), kind);
        }
    }
    EXPECT_EQ(find_kind("batch", "v1", "Job"), &kind_info<batch::Job>());
    EXPECT_EQ(find_resource("batch", "v1", "jobs"), &kind_info<batch::Job>());
    EXPECT_EQ(find_kind("batch", "v2", "Job"), nullptr);
    EXPECT_EQ(find_kind("", "v1", "Job"), nullptr);
    EXPECT_EQ(find_resource("batch", "v1", "Job"), nullptr);
}

TEST(EveryKind, IsTheOnlyOneOfItsNameInItsGroupAndVersion) {
    using Key = std::tuple<std::string, std::string, std::string>;
    std::set<Key> kinds;
    std::map<Key, std::string> resources;
    for (const KindInfo* kind : all_kinds()) {
        EXPECT_TRUE(kinds.emplace(kind->group, kind->version, kind->kind).second) << kind->kind;
        if (!kind->options.plural) continue;
        std::vector<std::string> names = split(kind->options.short_names, ',');
        names.emplace_back(kind->options.plural);
        for (const std::string& name : names)
            EXPECT_TRUE(resources.emplace(Key(kind->group, kind->version, name), kind->kind).second)
                << name << " of " << kind->kind;
    }
}

TEST(EveryKind, WithAResourceHasObjectMetadataInItsFirstField) {
    for (const KindInfo* kind : all_kinds()) {
        if (!kind->options.plural) continue;
        const FieldInfo* metadata = kind->type().find("metadata");
        ASSERT_TRUE(metadata) << kind->kind;
        EXPECT_EQ(metadata->number, 1) << kind->kind;
        EXPECT_EQ(metadata->offset, sizeof(Residue)) << kind->kind;
    }
}

TEST(EveryKind, LeavesApiVersionAndKindToTheCodecs) {
    for (const KindInfo* kind : all_kinds()) {
        EXPECT_FALSE(kind->type().find("apiVersion")) << kind->kind;
        EXPECT_FALSE(kind->type().find("kind")) << kind->kind;
    }
}

TEST(EveryType, IsDescribedInWholeSentences) {
    for (const auto& [name, type] : every_type()) EXPECT_TRUE(is_sentence(type->doc)) << name << ": " << type->doc;
    for_each_field([](const FieldInfo& field) { EXPECT_TRUE(is_sentence(field.doc)) << field.doc; });
}

TEST(EveryType, HasUniqueFieldNumbersAndNames) {
    for (const auto& [name, type] : every_type()) {
        std::set<int> numbers;
        std::set<std::string> names;
        for (const FieldInfo& field : type->fields) EXPECT_TRUE(numbers.insert(field.number).second) << name;
        for (const FieldInfo& field : type->json_fields) EXPECT_TRUE(names.insert(field.json).second) << name;
    }
}

TEST(EveryField, NamesMergeKeysThatItsElementsHave) {
    for_each_field([](const FieldInfo& field) {
        if (field.options.merge_key) {
            ASSERT_TRUE(is_declared_list(*field.value));
            EXPECT_TRUE(field.value->element->type().find(field.options.merge_key)) << field.options.merge_key;
            EXPECT_TRUE(field.options.patch == Patch::kMerge || field.options.patch == Patch::kMergeRetainKeys);
        }
        for (const std::string& key : split(field.options.list_keys ? field.options.list_keys : "", ',')) {
            ASSERT_TRUE(is_declared_list(*field.value));
            EXPECT_TRUE(field.value->element->type().find(key)) << key;
        }
    });
}

TEST(EveryField, IsAKeyedListOnlyWithKeysAndASetOnlyOfPlainValues) {
    for_each_field([](const FieldInfo& field) {
        const FieldOptions& options = field.options;
        switch (options.list) {
            case ListKind::kMap:
                EXPECT_TRUE(is_declared_list(*field.value));
                EXPECT_TRUE(options.list_keys || options.merge_key);
                break;
            case ListKind::kSet:
                ASSERT_EQ(field.value->shape, Shape::kList);
                EXPECT_NE(field.value->element->shape, Shape::kStruct);
                EXPECT_EQ(options.list_keys, nullptr);
                break;
            case ListKind::kAtomic: EXPECT_EQ(options.list_keys, nullptr); break;
        }
    });
}

TEST(EveryField, ListsTheValuesItCanHaveOnlyWhenItIsText) {
    for_each_field([](const FieldInfo& field) {
        if (!field.options.one_of) return;
        EXPECT_EQ(bare(*field.value).shape, Shape::kText);
        const std::vector<std::string> values = split(field.options.one_of, '|');
        EXPECT_EQ(std::set<std::string>(values.begin(), values.end()).size(), values.size());
        for (const std::string& value : values) EXPECT_FALSE(value.empty());
    });
}

TEST(EveryField, HasOptionsThatItsTypeCanHonour) {
    for_each_field([](const FieldInfo& field) {
        const FieldOptions& options = field.options;
        const Shape shape = field.value->shape;
        const bool shareable = shape == Shape::kList || shape == Shape::kMap || shape == Shape::kBox;
        EXPECT_TRUE(!options.optional || options.required);
        EXPECT_TRUE(!options.shared || shareable);
        EXPECT_TRUE(!options.omit_zero || shape == Shape::kStruct || shape == Shape::kScalar);
        const Shape taken = bare(*field.value).shape;
        EXPECT_TRUE(!options.atomic || taken == Shape::kStruct || taken == Shape::kMap);
    });
}

TEST(Kinds, OfTheCoreGroupMayBeDeclaredElsewhere) {
    EXPECT_EQ(kind_info<meta::DeleteOptions>().api_version(), "v1");
    EXPECT_EQ(find_kind("", "v1", "Status")->type().package, "io.k8s.apimachinery.pkg.apis.meta.v1");
    EXPECT_EQ(find_kind("meta.k8s.io", "v1", "Table")->api_version(), "meta.k8s.io/v1");
}

TEST(Kinds, OfTwoVersionsMayShareOneShape) {
    const KindInfo* beta = find_kind("apidiscovery.k8s.io", "v2beta1", "APIGroupDiscoveryList");
    ASSERT_TRUE(beta);
    EXPECT_EQ(beta->api_version(), "apidiscovery.k8s.io/v2beta1");
    EXPECT_EQ(&beta->type(), &apidiscovery::v2::APIGroupDiscoveryList::info());
    EXPECT_EQ(sizeof(apidiscovery::v2beta1::APIGroupDiscoveryList), beta->type().size);
}

TEST(Kinds, KeepMetadataSmallBecauseEveryObjectInMemoryHasIt) {
    EXPECT_LE(sizeof(meta::ObjectMeta), 136u + sizeof(Residue));
}

}  // namespace all_test
}  // namespace muster::api
