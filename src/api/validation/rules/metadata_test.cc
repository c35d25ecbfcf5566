#include "api/validation/rules/metadata.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/validation/rules/cause_summary_test.h"

namespace muster::api {
namespace rules_metadata_test {

meta::ObjectMeta read(std::string_view json) {
    auto read = from_json<meta::ObjectMeta>(json);
    return std::move(read).value();
}

struct CreateCase {
    const char* sentence;
    const char* json;
    const char* causes;
};

class MetadataOnCreate : public testing::TestWithParam<CreateCase> {};

TEST_P(MetadataOnCreate, GivesTheCauses) {
    FieldErrors errors;
    check_metadata(read(GetParam().json), true, is_dns1123_subdomain, FieldPath("metadata"), errors);
    EXPECT_EQ(summary(errors), GetParam().causes) << GetParam().sentence;
}

const CreateCase kCreateCases[] = {
    {"a name and a namespace are enough", R"({"name":"a.b","namespace":"n"})", ""},
    {"a name is needed", R"({"namespace":"n"})", "Required metadata.name\n"},
    {"a name follows the kind's rule", R"({"name":"a_b","namespace":"n"})", "Invalid metadata.name\n"},
    {"a prefix of names may end in a dash", R"({"name":"a-x","generateName":"a-","namespace":"n"})", ""},
    {"a prefix of names follows the rule", R"({"name":"a","generateName":"A","namespace":"n"})",
     "Invalid metadata.generateName\n"},
    {"a namespace is needed", R"({"name":"a"})", "Required metadata.namespace\n"},
    {"a namespace is a label", R"({"name":"a","namespace":"n.n"})", "Invalid metadata.namespace\n"},
    {"label keys are qualified names", R"({"name":"a","namespace":"n","labels":{"a/b/c":"v"}})",
     "Invalid metadata.labels\n"},
    {"label values are short words", R"({"name":"a","namespace":"n","labels":{"a":"no spaces"}})",
     "Invalid metadata.labels\n"},
    {"annotation values are free, and keys may have upper case in the domain",
     R"({"name":"a","namespace":"n","annotations":{"Example.COM/A":"any thing"}})", ""},
    {"annotation keys are qualified names", R"({"name":"a","namespace":"n","annotations":{"a b":"v"}})",
     "Invalid metadata.annotations\n"},
    {"an owner has version, kind, name and uid",
     R"({"name":"a","namespace":"n","ownerReferences":[{"apiVersion":"","kind":"","name":"","uid":""}]})",
     "Required metadata.ownerReferences[0].apiVersion\nRequired metadata.ownerReferences[0].kind\n"
     "Required metadata.ownerReferences[0].name\nRequired metadata.ownerReferences[0].uid\n"},
    {"an owner's version has one slash at most",
     R"({"name":"a","namespace":"n","ownerReferences":[{"apiVersion":"a/b/c","kind":"K","name":"k","uid":"1"}]})",
     "Invalid metadata.ownerReferences[0].apiVersion\n"},
    {"only one owner is the controller",
     R"({"name":"a","namespace":"n","ownerReferences":[
         {"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"1","controller":true},
         {"apiVersion":"batch/v1","kind":"Job","name":"k","uid":"2","controller":true}]})",
     "Invalid metadata.ownerReferences\n"},
    {"events own nothing",
     R"({"name":"a","namespace":"n","ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"e","uid":"1"}]})",
     "Invalid metadata.ownerReferences[0]\n"},
    {"finalizers have a domain", R"({"name":"a","namespace":"n","finalizers":["x.io/a","loose"]})",
     "Invalid metadata.finalizers[1]\n"},
    {"finalizers are qualified names", R"({"name":"a","namespace":"n","finalizers":["x.io/a b"]})",
     "Invalid metadata.finalizers\n"},
    {"one cannot orphan dependents and delete them too",
     R"({"name":"a","namespace":"n","finalizers":["orphan","foregroundDeletion"]})", "Invalid metadata.finalizers\n"},
    {"a generation is not negative", R"({"name":"a","namespace":"n","generation":-1})",
     "Invalid metadata.generation\n"},
    {"managed fields are of a known operation",
     R"({"name":"a","namespace":"n","managedFields":[{"operation":"Guess","fieldsType":"FieldsV9"}]})",
     "Invalid metadata.managedFields[0].operation\nInvalid metadata.managedFields[0].fieldsType\n"},
};
INSTANTIATE_TEST_SUITE_P(Table, MetadataOnCreate, testing::ValuesIn(kCreateCases));

TEST(Metadata, AnnotationsMayHold256KiBTogether) {
    meta::ObjectMeta metadata = read(R"({"name":"a","namespace":"n"})");
    metadata.annotations.set("a", std::string(kAnnotationBytesMax - 1, 'x'));
    FieldErrors errors;
    check_metadata(metadata, true, is_dns1123_label, FieldPath("metadata"), errors);
    EXPECT_EQ(summary(errors), "");
    metadata.annotations.set("b", "");
    check_metadata(metadata, true, is_dns1123_label, FieldPath("metadata"), errors);
    EXPECT_EQ(summary(errors), "TooLong metadata.annotations\n");
}

TEST(Metadata, AKindWithoutNamespaceMayNotNameOne) {
    FieldErrors errors;
    check_metadata(read(R"({"name":"a","namespace":"n"})"), false, is_dns1123_label, FieldPath("metadata"), errors);
    EXPECT_EQ(summary(errors), "Forbidden metadata.namespace\n");
}

struct UpdateCase {
    const char* sentence;
    const char* before;
    const char* now;
    const char* causes;
};

class MetadataOnUpdate : public testing::TestWithParam<UpdateCase> {};

TEST_P(MetadataOnUpdate, GivesTheCauses) {
    FieldErrors errors;
    check_metadata_update(read(GetParam().now), read(GetParam().before), FieldPath("metadata"), errors);
    EXPECT_EQ(summary(errors), GetParam().causes) << GetParam().sentence;
}

const UpdateCase kUpdateCases[] = {
    {"labels, annotations, owners and finalizers may change", R"({"name":"a","resourceVersion":"1"})",
     R"({"name":"a","resourceVersion":"1","labels":{"a":"b"},"annotations":{"a":"b"},"finalizers":["x.io/a"]})", ""},
    {"what identifies an object may not change",
     R"({"name":"a","namespace":"n","uid":"1","creationTimestamp":"2026-01-01T00:00:00Z","resourceVersion":"1"})",
     R"({"name":"b","namespace":"m","uid":"2","creationTimestamp":"2026-01-02T00:00:00Z","resourceVersion":"1"})",
     "Invalid metadata.name\nInvalid metadata.namespace\nInvalid metadata.uid\nInvalid metadata.creationTimestamp\n"},
    {"a delete cannot be asked for or called back by an update",
     R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":5})",
     R"({"name":"a","resourceVersion":"1"})",
     "Invalid metadata.deletionTimestamp\nInvalid metadata.deletionGracePeriodSeconds\n"},
    {"the version that was read is needed", R"({"name":"a"})", R"({"name":"a"})", "Invalid metadata.resourceVersion\n"},
    {"the generation never goes back", R"({"name":"a","resourceVersion":"1","generation":2})",
     R"({"name":"a","resourceVersion":"1","generation":1})", "Invalid metadata.generation\n"},
    {"an object that goes gets no new finalizers",
     R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["x.io/a"]})",
     R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["x.io/z"]})",
     "Forbidden metadata.finalizers\n"},
    {"an object that goes may lose finalizers",
     R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["x.io/a"]})",
     R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z"})", ""},
};
INSTANTIATE_TEST_SUITE_P(Table, MetadataOnUpdate, testing::ValuesIn(kUpdateCases));

TEST(Metadata, NewFinalizersOfADeletedObjectAreNamedAsRecorded) {
    FieldErrors errors;
    check_metadata_update(
        read(
            R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["x.io/z"]})"),
        read(R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z"})"), FieldPath("metadata"),
        errors);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors.causes()[0].message,
              "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
              "[]string{\"x.io/z\"}");
}

}  // namespace rules_metadata_test
}  // namespace muster::api
