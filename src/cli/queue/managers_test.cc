#include "cli/queue/managers.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace muster::cli {
namespace managers_test {

namespace json = boost::json;

std::string given(const char* text) {
    const std::optional<json::array> fields = give_to_kueue(json::parse(text).as_array());
    return fields ? json::serialize(*fields) : "unchanged";
}

TEST(Managers, OfFieldsThatMusterDidNotWriteStayAsTheyAre) {
    EXPECT_EQ(given("[]"), "unchanged");
    EXPECT_EQ(given(R"([{"manager":"kueue-admission","operation":"Apply","subresource":"status",)"
                    R"("fieldsV1":{"f:status":{"f:admission":{}}}}])"),
              "unchanged");
    EXPECT_EQ(given(R"([{"manager":"muster","operation":"Update","fieldsV1":{"f:metadata":{"f:finalizers":{}}}}])"),
              "unchanged");
}

TEST(Managers, OfQuotaIsKueueAsIfItHadAppliedIt) {
    EXPECT_EQ(
        given(
            R"([{"manager":"muster","operation":"Update","apiVersion":"kueue.x-k8s.io/v1beta2","time":"t",)"
            R"("fieldsType":"FieldsV1","subresource":"status",)"
            R"("fieldsV1":{"f:status":{".":{},"f:admission":{".":{},"f:clusterQueue":{}},"f:reclaimablePods":{}}}}])"),
        R"([{"manager":"kueue-admission","operation":"Apply","subresource":"status",)"
        R"("apiVersion":"kueue.x-k8s.io/v1beta2","time":"t","fieldsType":"FieldsV1",)"
        R"("fieldsV1":{"f:status":{"f:admission":{".":{},"f:clusterQueue":{}}}}},)"
        R"({"manager":"kueue-reclaimable-pods","operation":"Apply","subresource":"status",)"
        R"("apiVersion":"kueue.x-k8s.io/v1beta2","time":"t","fieldsType":"FieldsV1",)"
        R"("fieldsV1":{"f:status":{"f:reclaimablePods":{}}}}])");
}

TEST(Managers, OfOtherConditionsStayMuster) {
    const std::string fields =
        given(R"([{"manager":"muster","operation":"Update","subresource":"status","fieldsV1":{"f:status":)"
              R"({"f:conditions":{".":{},"k:{\"type\":\"Admitted\"}":{".":{},"f:status":{}},)"
              R"("k:{\"type\":\"WaitingForReplacementPods\"}":{".":{}}}}}}])");
    EXPECT_EQ(fields, R"([{"manager":"muster","operation":"Update","subresource":"status","fieldsV1":{"f:status":)"
                      R"({"f:conditions":{".":{},"k:{\"type\":\"WaitingForReplacementPods\"}":{".":{}}}}}},)"
                      R"({"manager":"kueue-admission","operation":"Apply","subresource":"status","fieldsV1":)"
                      R"({"f:status":{"f:conditions":{"k:{\"type\":\"Admitted\"}":{".":{},"f:status":{}},".":{}}}}}])");
}

TEST(Managers, JoinWhatKueueAppliedBefore) {
    EXPECT_EQ(given(R"([{"manager":"kueue-admission","operation":"Apply","subresource":"status","apiVersion":"v",)"
                    R"("fieldsV1":{"f:status":{"f:admission":{"f:a":{}}}}},)"
                    R"({"manager":"muster","operation":"Update","subresource":"status","apiVersion":"v",)"
                    R"("fieldsV1":{"f:status":{"f:admission":{"f:b":{}}}}}])"),
              R"([{"manager":"kueue-admission","operation":"Apply","subresource":"status","apiVersion":"v",)"
              R"("fieldsV1":{"f:status":{"f:admission":{"f:a":{},"f:b":{}}}}}])");
}

}  // namespace managers_test
}  // namespace muster::cli
