// JSON pointers (RFC 6901), as JSON patches use them.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

// The tokens of "/metadata/annotations/x.io~1y", unescaped: metadata, annotations, x.io/y. None for "", the whole
// document. Nothing when it neither is empty nor starts with a slash.
std::optional<std::vector<std::string>> parse_pointer(std::string_view text);

// The place in an array of `size` elements that a token names, below size: "0", "12", never "01". "-1" is the last
// element: not in the RFC, but Kubernetes takes it.
std::optional<std::size_t> parse_array_index(std::string_view token, std::size_t size);

// The element or member that a token names in a container; null when there is none, or it is no container.
boost::json::value* find_child(boost::json::value& container, std::string_view token);

}  // namespace muster::api
