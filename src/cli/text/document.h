// Objects as text: printed as JSON and YAML the way kubectl prints them, and read from manifests.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/dom_at.h"
#include "base/result.h"

namespace muster::cli {

// Indented by four, members sorted, one line end at the end.
std::string format_json(const boost::json::value& value);
// Block style, members sorted, ends with a line end.
std::string format_yaml(const boost::json::value& value);

// The objects of a manifest: any number of YAML or JSON documents, empty ones left out, lists taken apart. Fails with
// kBadRequest, naming the source.
Result<std::vector<boost::json::object>> parse_manifest(std::string_view text, std::string_view source);

using api::array_at;
using api::find_at;
using api::text_at;

}  // namespace muster::cli
