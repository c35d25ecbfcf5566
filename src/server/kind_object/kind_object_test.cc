#include "server/kind_object/kind_object.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "api/codec/decode.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "api/schema/walk.h"

namespace muster::server {
namespace kind_object_test {

using api::core::ConfigMap;
using api::core::Pod;
using store::Difference;
using PodObject = TypedObject<Pod>;

constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7",)"
    R"("labels":{"app":"x"},"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"ju"}]},)"
    R"("spec":{"containers":[{"name":"c","image":"i"}],"nodeName":"node-1"},)"
    R"("status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";

Pod some_pod() { return api::from_json<Pod>(kPod).value(); }

// Parts as a journal keeps them.
class Parts final : public store::RecordWriter, public store::PartSource {
public:
    std::uint64_t part(const SharedBlock& block, void (*encode)(const void*, std::string&), const void* of) override {
        const auto [found, added] = numbers.try_emplace(block.identity(), numbers.size() + 1);
        if (added) encode(of, written[found->second]);
        return found->second;
    }
    Result<SharedBlock> find(std::uint64_t number) override { return blocks[number]; }
    Result<std::string_view> bytes(std::uint64_t number) override { return std::string_view(written.at(number)); }
    void decoded(std::uint64_t number, SharedBlock block) override { blocks[number] = std::move(block); }

    std::map<const void*, std::uint64_t> numbers;
    std::map<std::uint64_t, std::string> written;
    std::map<std::uint64_t, SharedBlock> blocks;
};

TEST(KindObject, WeighsWhatItHoldsAndItsSuccessorDoesNot) {
    ConfigMap map;
    map.data.set("large", std::string(900'000, 'x'));
    const TypedObject<ConfigMap> before(map);
    EXPECT_GT(before.weight(nullptr), 900'000u);
    EXPECT_LT(before.weight(nullptr), 902'000u);
    map.metadata.labels.set("a", "b");
    const TypedObject<ConfigMap> labelled(map);
    EXPECT_LT(before.weight(&labelled), 2000u);
}

TEST(KindObject, AWriteSaysWhatItChanges) {
    struct Case {
        const char* name;
        void (*change)(Pod&);
        Difference expected;
    };
    constexpr Case kCases[] = {
        {"nothing", [](Pod&) {}, Difference::kNone},
        {"another stamp", [](Pod& pod) { pod.metadata.resource_version = "8"; }, Difference::kNone},
        {"the status", [](Pod& pod) { pod.status.phase = "Failed"; }, Difference::kStatus},
        {"the status under another stamp",
         [](Pod& pod) {
             pod.metadata.resource_version = "";
             pod.status.conditions.edit()[0].status = "False";
         },
         Difference::kStatus},
        {"a label", [](Pod& pod) { pod.metadata.labels.set("app", "y"); }, Difference::kMore},
        {"a label and the status",
         [](Pod& pod) {
             pod.metadata.labels.set("app", "y");
             pod.status.phase = "Failed";
         },
         Difference::kMore},
        {"the node", [](Pod& pod) { pod.spec.node_name = "node-2"; }, Difference::kMore},
        {"a container", [](Pod& pod) { pod.spec.containers.edit()[0].image = "j"; }, Difference::kMore},
        {"a field that we do not know", [](Pod& pod) { pod.residue.add(",\"x\":1"); }, Difference::kMore},
        {"such a field of the metadata", [](Pod& pod) { pod.metadata.residue.add(",\"x\":1"); }, Difference::kMore},
        {"such a field of the status", [](Pod& pod) { pod.status.residue.add(",\"x\":1"); }, Difference::kStatus},
        {"nothing, decoded again", [](Pod& pod) { pod = some_pod(); }, Difference::kNone},
        {"the status of a pod decoded again, whose containers are blocks that no record names",
         [](Pod& pod) {
             pod = some_pod();
             pod.status.phase = "Failed";
         },
         Difference::kMore},
        {"the status and owners that are equal but another block",
         [](Pod& pod) {
             pod.metadata.owner_references = some_pod().metadata.owner_references;
             pod.status.phase = "Failed";
         },
         Difference::kMore},
    };
    const PodObject stored(some_pod());
    for (const Case& one : kCases) {
        SCOPED_TRACE(one.name);
        PodObject draft(stored.value);
        one.change(draft.value);
        EXPECT_EQ(draft.difference_from(stored), one.expected);
    }
}

TEST(KindObject, AKindWithoutAStatusDiffersInMoreOrNotAtAll) {
    const TypedObject<ConfigMap> stored(ConfigMap{.data = {{"key", "value"}}});
    TypedObject<ConfigMap> draft(stored.value);
    EXPECT_EQ(draft.difference_from(stored), Difference::kNone);
    draft.value.data.set("key", "other");
    EXPECT_EQ(draft.difference_from(stored), Difference::kMore);
    Parts parts;
    draft.encode_status(parts);
    EXPECT_EQ(parts.RecordWriter::bytes, "");
}

TEST(KindObject, IsGivenAsItsOwnTypeOnly) {
    TypedObject<ConfigMap> map(ConfigMap{.data = {{"key", "value"}}});
    as<ConfigMap>(map).data.set("key", "other");
    EXPECT_EQ(*as<ConfigMap>(std::as_const(map)).data.find("key"), "other");
    EXPECT_EQ(&as<ConfigMap>(static_cast<const store::Object&>(map)), &map.value);
    EXPECT_DEATH(as<Pod>(map), "ConfigMap");
}

TEST(KindObject, TakesTheValueOfADraftThatHasOneHolder) {
    auto draft = std::make_shared<Pod>(some_pod());
    const void* const containers = draft->spec.containers.begin();
    const auto copied = take_object(api::kind_info<Pod>(), draft);
    EXPECT_EQ(draft->metadata.name, "a") << "another holder still sees it";
    EXPECT_EQ(api::diff(as<Pod>(*copied), *draft), "");
    const auto taken = take_object(api::kind_info<Pod>(), std::move(draft));
    EXPECT_EQ(api::diff(as<Pod>(*taken), some_pod()), "");
    EXPECT_EQ(as<Pod>(*taken).spec.containers.begin(), containers);
}

TEST(KindObject, ItsOwnHalfAndAnyLaterStatusMakeAWhole) {
    PodObject stored(some_pod());
    PodObject later(stored.value);
    later.value.status.phase = "Failed";
    later.value.status.conditions.edit()[0].status = "False";
    Parts parts;
    stored.encode_own(parts);
    later.encode_status(parts);
    KindCodec codec;
    const auto decoded = codec.decode("/core/pods/n/a", 9, parts.RecordWriter::bytes, parts);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    const Pod& pod = static_cast<const PodObject&>(**decoded).value;
    EXPECT_EQ(pod.metadata.resource_version, "9");
    later.value.metadata.resource_version = "9";
    EXPECT_EQ(api::diff(pod, later.value), "");
}

}  // namespace kind_object_test
}  // namespace muster::server
