// Which objects a verb is about, as people say it: TYPE, TYPE NAME…, TYPE/NAME…, TYPE,TYPE, -l, -f, -A.
#pragma once

#include <string>
#include <vector>

#include "cli/connection/resources.h"

namespace muster::cli {

struct SelectionOptions {
    std::vector<std::string> arguments{};
    std::string namespace_{};
    bool all_namespaces = false;
    std::string label_selector{};
    std::string field_selector{};
    bool all = false;                  // every object of the type: --all
    std::vector<std::string> files{};  // objects named by manifests
    bool recursive = false;            // those of directories below, too
};

// One collection, or one object of it.
struct Selected {
    const Resource* resource = nullptr;
    std::string namespace_{};  // empty across all namespaces and for what has none
    std::string name{};        // empty for the collection
};

struct Selection {
    ResourceMap resources;
    std::vector<Selected> targets;
    bool named_types_mixed = false;  // more than one type: results say which
};

// Fails in kubectl's words when that is no selection, when a type is unknown, or when a file cannot be read.
Result<Selection> select_objects(Session& session, const SelectionOptions& options);

// The selector parameters: "?labelSelector=…&limit=500", empty when there are none.
std::string selection_query(const SelectionOptions& options, std::vector<std::string> more = {});

// The objects themselves: one per named target, all of a collection. `found` is given each with its resource.
using OnObject = std::function<void(const Resource&, const boost::json::value&)>;
Result<void> each_object(Session& session, const SelectionOptions& options, const Selected& target,
                         const OnObject& found);

}  // namespace muster::cli
