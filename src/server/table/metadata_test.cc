#include "server/table/metadata.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/codec/envelope.h"
#include "api/kinds/batch.h"
#include "api/kinds/meta/status.h"

namespace muster::server {
namespace table_metadata_test {

api::batch::Job sample_job() {
    api::batch::Job job;
    job.metadata.name = "pi";
    job.metadata.labels.set("a", "b");
    job.spec.parallelism = 3;
    return job;
}

TEST(PartialMetadata, IsTheMetadataAndNothingElse) {
    const api::batch::Job job = sample_job();
    const auto& metadata = metadata_of(api::kind_info<api::batch::Job>(), &job);
    EXPECT_EQ(&metadata, &job.metadata);
    std::string out;
    append_partial_json(metadata, false, out);
    EXPECT_EQ(
        out,
        R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"pi","labels":{"a":"b"}}})");
}

TEST(PartialMetadata, OfAListNamesEveryItem) {
    const api::batch::Job job = sample_job();
    api::meta::ListMeta list;
    list.resource_version = "4";
    const api::meta::ObjectMeta* items[] = {&job.metadata, &job.metadata};
    std::string out;
    append_partial_list_json(list, items, true, out);
    const std::string item =
        R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"name":"pi","labels":{"a":"b"}}})";
    EXPECT_EQ(
        out,
        R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1","metadata":{"resourceVersion":"4"},"items":[)" +
            item + "," + item + "]}");
    out.clear();
    append_partial_list_json(list, {}, false, out);
    EXPECT_TRUE(out.ends_with(R"("items":[]})"));
}

TEST(PartialMetadata, HasAProtobufForm) {
    const api::batch::Job job = sample_job();
    std::string out;
    append_partial_protobuf(job.metadata, false, out);
    const api::Envelope envelope = *api::open_envelope(out);
    EXPECT_EQ(envelope.api_version, "meta.k8s.io/v1");
    EXPECT_EQ(envelope.kind, "PartialObjectMetadata");
    const auto partial = api::from_protobuf<api::meta::PartialObjectMetadata>(envelope.raw);
    ASSERT_TRUE(partial.ok());
    EXPECT_EQ(api::to_json(partial->metadata), api::to_json(job.metadata));

    const api::meta::ObjectMeta* items[] = {&job.metadata, &job.metadata};
    std::string list;
    append_partial_list_protobuf({}, items, false, list);
    EXPECT_EQ(api::open_envelope(list)->kind, "PartialObjectMetadataList");
    EXPECT_GT(api::open_envelope(list)->raw.size(), 2 * envelope.raw.size());
}

}  // namespace table_metadata_test
}  // namespace muster::server
