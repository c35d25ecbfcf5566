// For tests: JSON written with single quotes, and compared without regard to the order of members.
#pragma once

#include <algorithm>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/dom.h"
#include "api/patch/json_dom.h"

namespace muster::api {

inline boost::json::value quoted_json(std::string_view text) {
    std::string json(text);
    std::replace(json.begin(), json.end(), '\'', '"');
    return parse_dom(json).value();
}

// The value with its members in the order of their keys.
inline boost::json::value with_sorted_keys(const boost::json::value& value) {
    if (value.is_array()) {
        boost::json::array elements;
        for (const auto& element : value.get_array()) elements.push_back(with_sorted_keys(element));
        return elements;
    }
    if (!value.is_object()) return value;
    std::vector<std::string> keys;
    for (const auto& member : value.get_object()) keys.emplace_back(member.key());
    std::sort(keys.begin(), keys.end());
    boost::json::object members;
    for (const auto& key : keys) members[key] = with_sorted_keys(value.at(key));
    return members;
}

inline std::string sorted_json(const boost::json::value& value) { return format_dom(with_sorted_keys(value)); }

}  // namespace muster::api
