// How each kind is printed: its columns, and the function that fills a row. The columns and the words in the cells are
// those that kubectl's users and their scripts know.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/schema/kind_info.h"
#include "server/table/row.h"

namespace muster::server {

struct Column {
    const char* name;
    const char* type;
    const char* description;
    int priority = 0;  // 1: only in wide output
    const char* format = "";
};

inline constexpr Column kNameColumn{"Name", "string", "Name of the object, unique for its kind in the namespace.", 0,
                                    "name"};
inline constexpr Column kAgeColumn{"Age", "string", "How long ago the object was created."};
inline constexpr Column kContainersColumn{"Containers", "string", "Names of the template's containers.", 1};
inline constexpr Column kImagesColumn{"Images", "string", "Images of the template's containers.", 1};
inline constexpr Column kSelectorColumn{"Selector", "string", "Which pods belong to it, by their labels.", 1};

struct Printer {
    std::span<const Column> columns;
    // Fills a row with one cell per column. `object` is of the kind.
    void (*print)(const void* object, Row& row);
};

// The printer of a kind; kinds without a printer of their own, defined kinds among them, show name and time of
// creation.
const Printer& printer_of(const api::KindInfo& kind);

// The kinds' own printers, by the file that has them.
Printer pod_printer();
Printer pod_template_printer();
Printer job_printer();
Printer cron_job_printer();
Printer node_printer();
Printer namespace_printer();
Printer service_printer();
Printer endpoint_slice_printer();
Printer config_map_printer();
Printer secret_printer();
Printer service_account_printer();
Printer core_event_printer();
Printer event_printer();
Printer lease_printer();
Printer priority_class_printer();
Printer runtime_class_printer();
Printer disruption_budget_printer();
Printer resource_quota_printer();
Printer persistent_volume_printer();
Printer persistent_volume_claim_printer();
Printer role_binding_printer();
Printer cluster_role_binding_printer();

// Of a queueing kind, in any of its versions.
template <class K>
Printer queue_printer();

// A printer from a typed function.
template <class K, void (*print_kind)(const K&, Row&)>
Printer make_printer(std::span<const Column> columns) {
    return {columns, [](const void* object, Row& row) { print_kind(*static_cast<const K*>(object), row); }};
}

// "a,b,c" of what `get` gives for each element.
template <class Items, class Get>
std::string join(const Items& items, const char* separator, Get get) {
    std::string out;
    const char* before = "";
    for (const auto& item : items) {
        out.append(before).append(get(item));
        before = separator;
    }
    return out;
}

inline std::string_view or_else(std::string_view text, std::string_view otherwise) {
    return text.empty() ? otherwise : text;
}

}  // namespace muster::server
