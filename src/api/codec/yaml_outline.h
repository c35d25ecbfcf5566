// A look at a YAML document before yaml-cpp reads it. yaml-cpp scans a collection in brackets to its end before it
// tells of the first entry, so the limits of the reader (yaml_decode.cc) would come after the work. This pass counts
// the entries and the depth of such collections, in one pass and without memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster::api {

struct YamlOutline {
    std::size_t entries = 0;  // of all collections in brackets; no more than the nodes that they have
    std::size_t depth = 0;    // of the deepest of them
};

// Stops at the first value beyond these. Brackets and commas in quoted texts, block texts and comments do not count.
YamlOutline outline_yaml(std::string_view text, std::size_t entries_max, std::size_t depth_max);

}  // namespace muster::api
