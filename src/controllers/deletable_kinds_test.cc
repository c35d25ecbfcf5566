#include "controllers/deletable_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/kinds/core/event.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/pod.h"
#include "api/registry/defined_kind.h"
#include "client/kinds/kind_source.h"

namespace muster::controllers {
namespace deletable_kinds_test {

using Kinds = std::vector<const api::KindInfo*>;

const api::KindInfo& widgets() {
    return api::kind_info_of({.group = "example.dev", .version = "v1", .kind = "Widget", .plural = "widgets"});
}

Kinds all_kinds() {
    Kinds all = client::declared_kinds().stored();
    all.push_back(&widgets());
    return all;
}

bool has(const Kinds& kinds, const api::KindInfo& kind) {
    return std::find(kinds.begin(), kinds.end(), &kind) != kinds.end();
}

TEST(OwningKinds, AreAllThatMayHaveOwners) {
    const Kinds kinds = owning_kinds(all_kinds());
    EXPECT_EQ(kinds.size(), all_kinds().size() - 1);
    EXPECT_FALSE(has(kinds, api::kind_info<api::core::Event>()));
    EXPECT_TRUE(has(kinds, api::kind_info<api::core::Namespace>()));
    EXPECT_TRUE(has(kinds, widgets()));
}

TEST(NamespacedKinds, BeginWithPodsAndEndWithEvents) {
    const Kinds kinds = namespaced_kinds(all_kinds());
    EXPECT_EQ(kinds.front(), &api::kind_info<api::core::Pod>());
    EXPECT_EQ(kinds.back(), &api::kind_info<api::core::Event>());
    EXPECT_FALSE(has(kinds, api::kind_info<api::core::Namespace>()));
    EXPECT_TRUE(has(kinds, widgets()));
    for (const api::KindInfo* kind : all_kinds()) EXPECT_EQ(has(kinds, *kind), kind->options.namespaced) << kind->kind;
}

}  // namespace deletable_kinds_test
}  // namespace muster::controllers
