#include "api/validation/namespace.h"

#include <gtest/gtest.h>

#include "api/codec/encode.h"
#include "api/defaults/namespace.h"
#include "api/testing/drafts.h"

namespace muster::api {
namespace namespace_test {

core::Namespace make_namespace(std::string_view patch) {
    core::Namespace space = make_object<core::Namespace>("{'metadata': {'name': 'n', 'resourceVersion': '7'}}", patch);
    default_namespace(space);
    return space;
}

TEST(NamespaceCreate, IsActiveAndKeptByItsContent) {
    core::Namespace space = make_namespace(
        "{'metadata': {'labels': {'kubernetes.io/metadata.name': 'other'}}, 'spec': {'finalizers': "
        "['example.com/f']}, 'status': {'phase': 'Terminating'}}");
    prepare_namespace_create(space);
    EXPECT_EQ(to_json(space),
              "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"7\","
              "\"labels\":{\"kubernetes.io/metadata.name\":\"n\"}},\"spec\":{\"finalizers\":[\"example.com/f\","
              "\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}}");
    EXPECT_EQ(print_errors(validate_namespace_create(space)), "");
}

TEST(NamespaceCreate, KeepsTheRules) {
    const struct {
        const char* name;
        const char* patch;
        const char* errors;
    } cases[] = {
        {"a name is one label", "{'metadata': {'name': 'a.b'}}",
         "metadata.name: Invalid value: \"a.b\": must not contain dots"},
        {"a namespace is in no namespace", "{'metadata': {'namespace': 'm'}}",
         "metadata.namespace: Forbidden: not allowed on this type"},
        {"a finalizer has a domain", "{'spec': {'finalizers': ['mine']}}",
         "spec.finalizers: Invalid value: \"mine\": name is neither a standard finalizer name nor is it fully "
         "qualified"},
        {"standard finalizers have none", "{'spec': {'finalizers': ['kubernetes']}}", ""},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.name);
        core::Namespace space = make_namespace(test.patch);
        prepare_namespace_create(space);
        EXPECT_EQ(print_errors(validate_namespace_create(space)), test.errors);
    }
}

TEST(NamespaceUpdate, LeavesFinalizersAndStatus) {
    const core::Namespace old = make_namespace("{'spec': {'finalizers': ['kubernetes']}}");
    core::Namespace space = make_namespace("{'metadata': {'labels': {'a': 'b'}}, 'status': {'phase': 'Terminating'}}");
    prepare_namespace_update(space, old);
    EXPECT_EQ(print_errors(validate_namespace_update(space, old)), "");
    EXPECT_EQ(space.spec.finalizers.size(), 1u);
    EXPECT_EQ(space.status.phase, "Active");
}

TEST(NamespaceStatus, EndsOnlyWhenDeleted) {
    const core::Namespace old = make_namespace("{}");
    const core::Namespace space = make_namespace("{'status': {'phase': 'Terminating'}}");
    EXPECT_EQ(print_errors(validate_namespace_status_update(space, old)),
              "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty");

    const core::Namespace deleted = make_namespace("{'metadata': {'deletionTimestamp': '2026-01-01T00:00:00Z'}}");
    EXPECT_EQ(print_errors(validate_namespace_status_update(deleted, deleted)),
              "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty");
}

TEST(NamespaceFinalize, FinalizersHaveQualifiedNames) {
    const core::Namespace space = make_namespace("{'spec': {'finalizers': ['example.com/f']}}");
    EXPECT_EQ(print_errors(validate_namespace_finalize(space)), "");
    const core::Namespace wrong = make_namespace("{'spec': {'finalizers': ['example.com/f', 'x']}}");
    EXPECT_EQ(print_errors(validate_namespace_finalize(wrong)),
              "spec.finalizers[1]: Invalid value: \"x\": name is neither a standard finalizer name nor is it fully "
              "qualified");
}

}  // namespace namespace_test
}  // namespace muster::api
