#include "controllers/queue/pods/group/sets.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <set>

#include "api/codec/dom.h"
#include "api/selector/names.h"

namespace muster::controllers::podqueue {
namespace {

using api::kueue::PodSet;

constexpr std::int32_t kPodsMax = 1'000'000;

Error bad_sets(const std::string& why) { return {Code::kInvalid, why}; }

std::string at_set(std::size_t index, const char* field) { return "[" + std::to_string(index) + "]." + field + ": "; }

Result<> check_set(const PodSet& set, std::size_t index) {
    if (set.name.empty()) return bad_sets(at_set(index, "name") + "Required value");
    if (const api::Problems problems = api::is_dns1123_label(set.name); !problems.empty())
        return bad_sets(at_set(index, "name") + problems.front());
    if (set.count < 1) return bad_sets(at_set(index, "count") + "must be at least 1");
    if (set.count > kPodsMax) return bad_sets(at_set(index, "count") + "must be at most " + std::to_string(kPodsMax));
    // What it says would be lost when the driver's own shape is put in its place.
    if (set.template_.spec.containers.empty() && !(set.template_.spec == api::core::PodSpec()))
        return bad_sets(at_set(index, "template.spec.containers") +
                        "Required value: a template has containers, or its spec is left out and the driver's is meant");
    if (set.min_count) return bad_sets(at_set(index, "minCount") + "a group is admitted as a whole");
    return {};
}

}  // namespace

Result<List<PodSet>> parse_group_sets(std::string_view text) {
    std::vector<std::string> duplicates;
    const api::DecodeLimits limits;
    TRY_ASSIGN(boost::json::value tree, api::parse_yaml(text, limits, duplicates));
    if (!duplicates.empty()) return bad_sets("duplicate field \"" + duplicates.front() + '"');
    if (!tree.is_array()) return bad_sets("must be a list of sets, each with name, count and template");
    boost::json::object spec;
    for (boost::json::value& one : tree.get_array()) {
        if (!one.is_object()) return bad_sets("each set must be an object with name, count and template");
        // Without a template the set has the shape of the pod that carries the annotation.
        if (!one.get_object().contains("template")) one.get_object()["template"] = boost::json::object();
        if (!one.get_object().contains("count")) one.get_object()["count"] = 1;
    }
    spec["podSets"] = std::move(tree);
    api::kueue::WorkloadSpec decoded;
    TRY_ASSIGN(const api::Decoded said, api::decode_dom(api::kueue::WorkloadSpec::info(), &decoded, spec, limits));
    TRY(api::check_strict(said));
    if (decoded.pod_sets.empty()) return bad_sets("must have at least one set");
    if (decoded.pod_sets.size() > kRolesMax)
        return bad_sets("has " + std::to_string(decoded.pod_sets.size()) + " sets; at most " +
                        std::to_string(kRolesMax) + " are allowed");
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < decoded.pod_sets.size(); ++i) {
        TRY(check_set(decoded.pod_sets[i], i));
        if (!names.insert(decoded.pod_sets[i].name.view()).second)
            return bad_sets(at_set(i, "name") + "Duplicate value: \"" + decoded.pod_sets[i].name.str() + '"');
    }
    return decoded.pod_sets;
}

List<PodSet> fill_group_sets(const List<PodSet>& sets, const api::core::PodSpec& driver) {
    List<PodSet> filled = sets;
    for (PodSet& set : filled.edit())
        if (set.template_.spec.containers.empty()) set.template_.spec = driver;
    return filled;
}

std::int64_t count_pods(const List<PodSet>& sets) {
    std::int64_t total = 0;
    for (const PodSet& set : sets) total += set.count;
    return total;
}

}  // namespace muster::controllers::podqueue
