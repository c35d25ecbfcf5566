#include "cli/queue/managers.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <string_view>

#include "api/kinds/kueue/kueue_names.h"

namespace muster::cli {
namespace {

namespace json = boost::json;
namespace kn = api::kueue;

constexpr std::string_view kMuster = "muster";
constexpr std::string_view kAdmissionManager = "kueue-admission";
constexpr std::string_view kReclaimManager = "kueue-reclaimable-pods";
constexpr const char* kStatus = "f:status";
constexpr const char* kConditions = "f:conditions";
constexpr const char* kReclaimable = "f:reclaimablePods";

// The fields and the conditions that Kueue applies as its admission manager.
constexpr std::string_view kAdmissionFields[] = {"f:accumulatedPastExecutionTimeSeconds",
                                                 "f:admission",
                                                 "f:admissionChecks",
                                                 "f:requeueState",
                                                 "f:resourceRequests",
                                                 "f:schedulingStats"};
constexpr const char* kAdmissionConditions[] = {kn::kWorkloadQuotaReserved, kn::kWorkloadBlockedOnPreemptionGates,
                                                kn::kWorkloadEvicted,       kn::kWorkloadAdmitted,
                                                kn::kWorkloadPreempted,     kn::kWorkloadRequeued,
                                                kn::kWorkloadFinished,      kn::kWorkloadDeactivationTarget,
                                                kn::kWorkloadPodsReady};

std::string_view text_of(const json::object& entry, const char* key) {
    const json::value* value = entry.if_contains(key);
    return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

json::object* status_of(json::object& entry) {
    json::value* fields = entry.if_contains("fieldsV1");
    json::value* status = fields && fields->is_object() ? fields->get_object().if_contains(kStatus) : nullptr;
    return status ? status->if_object() : nullptr;
}

// Adds what `more` has to `fields`.
void unite(json::object& fields, const json::object& more) {
    for (const auto& [key, value] : more) {
        json::value& own = fields[key];
        if (!own.is_object()) own = json::object();
        if (value.is_object()) unite(own.get_object(), value.get_object());
    }
}

// The container itself is no field.
bool has_nothing(const json::object& fields) { return fields.empty() || (fields.size() == 1 && fields.contains(".")); }

void move_field(json::object& from, std::string_view key, json::object& to) {
    const json::value* value = from.if_contains(key);
    if (!value) return;
    json::object one;
    one[key] = *value;
    unite(to, one);
    from.erase(key);
}

void move_conditions(json::object& status, json::object& to) {
    json::value* conditions = status.if_contains(kConditions);
    if (!conditions || !conditions->is_object()) return;
    json::object& from = conditions->get_object();
    json::object moved;
    for (const char* type : kAdmissionConditions)
        move_field(from, R"(k:{"type":")" + std::string(type) + R"("})", moved);
    if (moved.empty()) return;
    moved["."] = json::object();
    json::object wrapped;
    wrapped[kConditions] = std::move(moved);
    unite(to, wrapped);
    if (has_nothing(from)) status.erase(kConditions);
}

bool is_empty_entry(json::object& entry) {
    const json::object* status = status_of(entry);
    const json::object& fields = entry.at("fieldsV1").as_object();
    return status && has_nothing(*status) && fields.size() == 1;
}

void give(json::array& entries, std::string_view manager, const json::object& like, json::object status) {
    if (status.empty()) return;
    for (json::value& value : entries) {
        json::object& entry = value.as_object();
        if (text_of(entry, "manager") != manager || text_of(entry, "operation") != "Apply" ||
            text_of(entry, "subresource") != "status" || text_of(entry, "apiVersion") != text_of(like, "apiVersion"))
            continue;
        json::object more;
        more[kStatus] = std::move(status);
        return unite(entry["fieldsV1"].as_object(), more);
    }
    json::object entry{{"manager", manager}, {"operation", "Apply"}, {"subresource", "status"}};
    for (const char* key : {"apiVersion", "time", "fieldsType"})
        if (const json::value* value = like.if_contains(key)) entry[key] = *value;
    entry["fieldsV1"] = json::object{{kStatus, std::move(status)}};
    entries.push_back(std::move(entry));
}

}  // namespace

std::optional<json::array> give_to_kueue(const json::array& managed_fields) {
    json::array entries = managed_fields;
    bool changed = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        json::object* entry = entries[i].if_object();
        if (!entry || text_of(*entry, "manager") != kMuster || text_of(*entry, "subresource") != "status") continue;
        json::object* status = status_of(*entry);
        if (!status) continue;
        json::object admission;
        json::object reclaim;
        for (const std::string_view field : kAdmissionFields) move_field(*status, field, admission);
        move_conditions(*status, admission);
        move_field(*status, kReclaimable, reclaim);
        if (admission.empty() && reclaim.empty()) continue;
        changed = true;
        const json::object like = *entry;
        const bool empty = is_empty_entry(*entry);
        if (empty) entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
        give(entries, kAdmissionManager, like, std::move(admission));
        give(entries, kReclaimManager, like, std::move(reclaim));
        if (empty) --i;
    }
    return changed ? std::optional(std::move(entries)) : std::nullopt;
}

}  // namespace muster::cli
