// Every patch that a real kube-apiserver was sent, against what it answered. What a server does afterwards (defaults,
// validation, conflicts) is not here: a patch that was refused for such a reason must still apply.
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <fstream>
#include <map>

#include "api/codec/dom.h"
#include "api/kinds/all.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "api/patch/patch.h"
#include "api/patch/testing/quoted_json.h"

namespace muster::api {
namespace oracle_patch_test {

namespace json = boost::json;

std::string text_of(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : std::string();
}
std::string member(const json::value& object, std::string_view name) {
    const json::value* found = object.is_object() ? object.get_object().if_contains(name) : nullptr;
    return found ? text_of(*found) : std::string();
}

const KindInfo* kind_of(const json::value& object) {
    const std::string version = member(object, "apiVersion");
    const std::size_t slash = version.find('/');
    if (slash == std::string::npos) return find_kind("", version, member(object, "kind"));
    return find_kind(version.substr(0, slash), version.substr(slash + 1), member(object, "kind"));
}

std::optional<PatchKind> patch_kind_of(const std::string& content_type) {
    if (content_type == "application/json-patch+json") return PatchKind::kJson;
    if (content_type == "application/merge-patch+json") return PatchKind::kMerge;
    if (content_type == "application/strategic-merge-patch+json") return PatchKind::kStrategic;
    return std::nullopt;
}

// The part of an object that a patch through that path may change, as the typed object prints it.
template <class T>
std::string changed_part(const json::value& object, bool of_status) {
    T typed{};
    const auto decoded = decode_dom(T::info(), &typed, object);
    if (!decoded.ok()) return format_error(decoded.error());
    json::object tree = to_dom(T::info(), &typed)->as_object();
    json::object part;
    for (const char* name : {"labels", "annotations", "finalizers"}) part[name] = tree["metadata"].as_object()[name];
    for (const char* name : {"spec", "data"})
        if (!of_status) part[name] = tree[name];
    if (of_status) part["status"] = tree["status"];
    return sorted_json(part);
}
std::string changed_part(const KindInfo& kind, const json::value& object, bool of_status) {
    if (kind.kind == std::string_view("Pod")) return changed_part<core::Pod>(object, of_status);
    if (kind.kind == std::string_view("Job")) return changed_part<batch::Job>(object, of_status);
    if (kind.kind == std::string_view("ConfigMap")) return changed_part<core::ConfigMap>(object, of_status);
    return "no such kind here";
}

struct Step {
    const json::value& record;
    std::string where;
    PatchKind patch_kind;
    bool of_status;
};

void replay(const Step& step, const json::value& current) {
    const json::value& answer = step.record.at("answer");
    const std::int64_t status = step.record.at("status").as_int64();
    const KindInfo* kind = kind_of(current);
    ASSERT_TRUE(kind) << step.where;
    const auto after =
        apply_patch(step.patch_kind, kind->type(), current, format_dom(step.record.at("body")), PatchLimits());
    const bool rejected = status == 422 && member(answer, "message").starts_with("the server rejected our request");
    if (status == 500 || status == 400 || rejected) {
        ASSERT_FALSE(after.ok()) << step.where;
        const Code code = status == 500 ? Code::kInternal : status == 400 ? Code::kBadRequest : Code::kInvalid;
        EXPECT_EQ(name_of(after.error().code), name_of(code)) << step.where;
        // What Go says of its own types need not be said in the same words.
        if (status != 400) {
            EXPECT_EQ(after.error().message, member(answer, "message")) << step.where;
        }
        return;
    }
    ASSERT_TRUE(after.ok()) << step.where << ": " << format_error(after.error());
    if (status != 200) return;
    EXPECT_EQ(changed_part(*kind, *after, step.of_status), changed_part(*kind, answer, step.of_status)) << step.where;
}

TEST(OraclePatch, WhatAKubernetesServerAnsweredToEveryRecordedPatch) {
    std::ifstream stories(MUSTER_SOURCE_DIR "/test/oracle/kube-apiserver-1.38.jsonl");
    std::size_t patches = 0;
    for (std::string line; std::getline(stories, line);) {
        const json::value story = parse_dom(line).value();
        std::map<std::string, json::value> objects;
        for (const auto& record : story.at("steps").as_array()) {
            std::string path = member(record, "path");
            const bool dry_run = path.find("dryRun") != std::string::npos;
            path = path.substr(0, path.find('?'));
            const bool of_status = path.ends_with("/status");
            if (of_status) path.resize(path.size() - std::string_view("/status").size());
            const auto patch_kind = patch_kind_of(member(record, "contentType"));
            if (member(record, "verb") == "PATCH" && patch_kind && objects.contains(path)) {
                ++patches;
                replay({record, member(story, "family") + ": " + member(story, "story"), *patch_kind, of_status},
                       objects[path]);
            }
            const json::value& answer = record.at("answer");
            if (dry_run || record.at("status").as_int64() >= 300 || !kind_of(answer)) continue;
            if (member(record, "verb") == "POST") path += "/" + member(answer.at("metadata"), "name");
            objects[path] = answer;
        }
    }
    EXPECT_GE(patches, 50u);
}

}  // namespace oracle_patch_test
}  // namespace muster::api
