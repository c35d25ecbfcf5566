#include "server/kind_object/views.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/all.h"
#include "api/kinds/kueue/v1beta1.h"
#include "api/rules/kind_rules.h"
#include "server/registry/kind_registry.h"

namespace muster::server {
namespace views_test {

namespace queue = api::kueue;
namespace older = api::kueue::v1beta1;

TEST(Views, OfEveryServedKindAreStoredAsAKindWithRules) {
    for (const ServedVersion& version : KindRegistry::declared()->versions())
        for (const ServedResource& resource : version.resources) {
            if (resource.empty || resource.virtual_only) continue;
            const api::KindInfo& stored = stored_kind(*resource.kind);
            EXPECT_TRUE(api::find_rules(stored)) << version.group_version() << " " << stored.kind;
            EXPECT_EQ(&stored_kind(stored), &stored);
        }
}

TEST(Views, LieUnderTheSameKeyAsWhatIsStored) {
    for (const api::KindInfo* kind : api::all_kinds())
        if (std::string_view(kind->version) == "v1beta1" && std::string_view(kind->group) == "kueue.x-k8s.io") {
            EXPECT_EQ(list_prefix(*kind, "ns"), list_prefix(stored_kind(*kind), "ns"));
            EXPECT_STREQ(stored_kind(*kind).version, "v1beta2");
        }
}

TEST(Views, ThatDifferInNothingButTheVersionKeepEverything) {
    auto draft = std::make_shared<TypedObject<older::WorkloadPriorityClass>>();
    draft->value.value = 7;
    draft->value.metadata.name = "high";
    const std::shared_ptr<KindObject> stored = as_stored(draft);
    ASSERT_EQ(&stored->kind(), &api::kind_info<queue::WorkloadPriorityClass>());
    EXPECT_EQ(as<queue::WorkloadPriorityClass>(*stored).value, 7);
    const KindObjectPtr seen = as_kind(stored, api::kind_info<older::WorkloadPriorityClass>());
    ASSERT_EQ(&seen->kind(), &api::kind_info<older::WorkloadPriorityClass>());
    EXPECT_EQ(seen->metadata().name, "high");
}

TEST(Views, AreConvertedWhereTheyDiffer) {
    auto draft = std::make_shared<TypedObject<older::ClusterQueue>>();
    draft->value.spec.cohort = "all";
    const std::shared_ptr<KindObject> stored = as_stored(draft);
    ASSERT_EQ(&stored->kind(), &api::kind_info<queue::ClusterQueue>());
    EXPECT_EQ(as<queue::ClusterQueue>(*stored).spec.cohort_name, "all");
    const KindObjectPtr seen = as_kind(stored, api::kind_info<older::ClusterQueue>());
    EXPECT_EQ(as<older::ClusterQueue>(*seen).spec.cohort, "all");
    EXPECT_EQ(as_kind(stored, api::kind_info<queue::ClusterQueue>()), stored);
}

TEST(Records, AreReadBackAsTheStoredVersion) {
    class NoParts final : public store::PartSource {
    public:
        Result<SharedBlock> find(std::uint64_t) override { return SharedBlock(); }
        Result<std::string_view> bytes(std::uint64_t) override { return std::string_view(); }
        void decoded(std::uint64_t, SharedBlock) override {}
    };
    NoParts parts;
    for (const char* resource : {"clusterqueues", "workloads", "cohorts"}) {
        KindCodec codec;
        const auto read = codec.decode("/kueue.x-k8s.io/" + std::string(resource) + "/x", 1, "", parts);
        ASSERT_TRUE(read.ok());
        EXPECT_STREQ(static_cast<const KindObject&>(**read).kind().version, "v1beta2");
    }
}

}  // namespace views_test
}  // namespace muster::server
