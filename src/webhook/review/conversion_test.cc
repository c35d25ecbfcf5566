#include "webhook/review/conversion.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::webhook {
namespace conversion_test {

using api::conversion::ConversionRequest;
using api::conversion::ConversionResponse;

ConversionResponse convert(const std::string& object, const char* desired) {
    ConversionRequest request;
    request.uid = "u";
    request.desired_api_version = desired;
    request.objects.edit().push_back(api::decode_raw_json(object).value());
    return review_conversion(request);
}

constexpr const char* kOlder = "kueue.x-k8s.io/v1beta1";
constexpr const char* kNewer = "kueue.x-k8s.io/v1beta2";

TEST(Conversion, ConvertsBothWaysAndKeepsWhatNeitherVersionKnows) {
    const ConversionResponse newer =
        convert(R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"ClusterQueue","metadata":{"name":"cq","uid":"u1"},)"
                R"("spec":{"cohort":"all","later":{"x":[1]}},"status":{"pendingWorkloads":3}})",
                kNewer);
    EXPECT_EQ(newer.result.status, "Success");
    ASSERT_EQ(newer.converted_objects.size(), 1u);
    const std::string text = newer.converted_objects[0].json.str();
    EXPECT_NE(text.find(R"("apiVersion":"kueue.x-k8s.io/v1beta2")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("cohortName":"all")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("later":{"x":[1]})"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("uid":"u1")"), std::string::npos) << text;

    const ConversionResponse older = convert(text, kOlder);
    const std::string back = older.converted_objects[0].json.str();
    EXPECT_NE(back.find(R"("cohort":"all")"), std::string::npos) << back;
    EXPECT_NE(back.find(R"("later":{"x":[1]})"), std::string::npos) << back;
    EXPECT_NE(back.find(R"("pendingWorkloads":3)"), std::string::npos) << back;
}

TEST(Conversion, RenamesKindsWhoseVersionsAreTheSame) {
    const ConversionResponse response =
        convert(R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ResourceFlavor","metadata":{"name":"f"},)"
                R"("spec":{"nodeLabels":{"a":"b"}}})",
                kOlder);
    ASSERT_EQ(response.converted_objects.size(), 1u);
    const std::string text = response.converted_objects[0].json.str();
    EXPECT_NE(text.find(R"("apiVersion":"kueue.x-k8s.io/v1beta1")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("nodeLabels":{"a":"b"})"), std::string::npos) << text;
}

TEST(Conversion, FailsWithASentenceForWhatItDoesNotKnow) {
    struct Row {
        const char* object;
        const char* desired;
        const char* message;
    };
    const Row rows[] = {
        {R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"MultiKueueCluster","metadata":{"name":"m"}})", kNewer,
         "objects[0]: objects of kind MultiKueueCluster are not converted here"},
        {R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"w"}})", "kueue.x-k8s.io/v1",
         "objects[0]: Workload of kueue.x-k8s.io/v1beta2 cannot be converted to kueue.x-k8s.io/v1: v1beta1 and "
         "v1beta2 of kueue.x-k8s.io can"},
    };
    for (const Row& row : rows) {
        const ConversionResponse response = convert(row.object, row.desired);
        EXPECT_EQ(response.result.status, "Failure");
        EXPECT_EQ(response.result.message, row.message);
        EXPECT_TRUE(response.converted_objects.empty());
    }
}

}  // namespace conversion_test
}  // namespace muster::webhook
