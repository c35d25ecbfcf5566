#include "assembly/permissions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace muster {
namespace permissions_test {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const Permission* find(const std::vector<Permission>& rows, std::string_view resource) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Permission& p) { return p.resource == resource; });
    return found == rows.end() ? nullptr : &*found;
}

TEST(Permissions, EveryPartOfAProcessBesideAClusterHasRows) {
    EXPECT_THAT(permission_parts(),
                ElementsAre("cron-job", "job", "leader-election", "metrics", "pod-ttl", "queue", "ttl", "webhook"));
    for (const std::string_view part : permission_parts()) EXPECT_FALSE(permissions_of(part).empty()) << part;
    EXPECT_THAT(permissions_of("garbage"), IsEmpty());
}

TEST(Permissions, NoRowAllowsEverythingOrWholeUpdates) {
    for (const std::string_view part : permission_parts()) {
        for (const Permission& row : permissions_of(part)) {
            EXPECT_FALSE(row.verbs.empty()) << part << ' ' << row.resource;
            EXPECT_NE(row.resource, "*");
            for (const std::string_view verb : row.verbs) {
                EXPECT_NE(verb, "*");
                // Only the finalizers of owners: that is what the server asks for, and nothing is sent.
                EXPECT_TRUE(verb != "update" || row.resource.ends_with("/finalizers")) << part << ' ' << row.resource;
            }
        }
    }
}

TEST(Permissions, TheJobControllerChangesJobsOnlyInTheirStatus) {
    EXPECT_THAT(find(permissions_of("job"), "jobs")->verbs, ElementsAre("get", "list", "watch"));
    EXPECT_THAT(find(permissions_of("job"), "jobs/status")->verbs, ElementsAre("patch"));
}

TEST(Permissions, SecretsAndLeasesAreReachedInTheOwnNamespaceByNameOnly) {
    for (const std::string_view part : permission_parts()) {
        for (const Permission& row : permissions_of(part)) {
            if (row.resource != "secrets" && row.resource != "leases") continue;
            EXPECT_TRUE(row.reach == Reach::kHome || row.optional) << part;
            const bool creates = std::count(row.verbs.begin(), row.verbs.end(), "create") != 0;
            EXPECT_TRUE(creates || !row.names.empty()) << part;
        }
    }
}

TEST(Permissions, RowsOfTheSameObjectsAreJoined) {
    const std::vector<Permission> rows = permissions_of({"job", "pod-ttl", "ttl"}, false);
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const Permission& p) { return p.resource == "pods"; }), 1);
    EXPECT_THAT(find(rows, "jobs")->verbs, ElementsAre("get", "list", "watch", "delete"));
    EXPECT_THAT(find(rows, "pods")->verbs, Contains("create"));
}

TEST(Permissions, AnObserverReads) {
    for (const Permission& row : permissions_of({"job", "queue", "cron-job", "ttl", "pod-ttl"}, true))
        for (const std::string_view verb : row.verbs)
            EXPECT_TRUE(verb == "get" || verb == "list" || verb == "watch") << row.resource << ' ' << verb;
    EXPECT_EQ(find(permissions_of({"job"}, true), "events"), nullptr);
}

}  // namespace permissions_test
}  // namespace muster
