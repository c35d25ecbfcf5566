// A pod written as little JSON as its case needs, and its causes as a client acts on them. For tests of pod rules.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "api/codec/decode.h"
#include "api/defaults/pod.h"
#include "api/validation/pod/pod.h"
#include "api/validation/rules/cause_summary_test.h"

namespace muster::api {

struct PodCase {
    const char* sentence;
    const char* container;  // further members of the pod's one container, as JSON
    const char* spec;       // further members of its spec
    const char* causes;     // "Required spec.x": one a line
};

inline std::string pod_json(std::string_view container, std::string_view spec, std::string_view metadata = {}) {
    const auto more = [](std::string_view members) { return members.empty() ? "" : "," + std::string(members); };
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n","resourceVersion":"1")" +
           more(metadata) + R"(},"spec":{"containers":[{"name":"c","image":"i:1")" + more(container) + "}]" +
           more(spec) + "}}";
}

inline core::Pod read_pod(const std::string& json) {
    core::Pod pod;
    const Result<Decoded> decoded = decode_json(core::Pod::info(), &pod, json);
    CHECK(decoded.ok(), json + ": " + format_error(decoded.error()));
    // A case may say a member again: the last one stands.
    for (const std::string& complaint : decoded->complaints) CHECK(complaint.starts_with("duplicate"), complaint);
    default_pod(pod);
    return pod;
}

template <std::size_t kCount>
void expect_causes(const PodCase (&cases)[kCount]) {
    for (const PodCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        EXPECT_EQ(summary(validate_pod_create(read_pod(pod_json(one.container, one.spec)))), one.causes);
    }
}

}  // namespace muster::api
