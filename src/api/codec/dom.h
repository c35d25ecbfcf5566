// A whole document as a tree, for what must look at all of it: patches and YAML's aliases. Typed objects come and go
// through the same sink and writer as text does.
#pragma once

#include <boost/json/value.hpp>

#include "api/codec/decode.h"

namespace muster::api {

// As decode_json, from a tree. A tree has no duplicate keys any more; the code that built it must report them.
Result<Decoded> decode_dom(const TypeInfo& type, void* object, const boost::json::value& document,
                           const DecodeLimits& limits = {});
// The object as a client would read it. With a kind, `kind` and `apiVersion` are there too. What decoding accepts can
// be read again; kInternal for an object that came about in another way.
Result<boost::json::value> to_dom(const TypeInfo& type, const void* object, const KindInfo* kind = nullptr);
// JSON text to a tree within the limits.
Result<boost::json::value> parse_dom(std::string_view text, const DecodeLimits& limits = {});
// YAML text to a tree, with the paths of duplicate keys.
Result<boost::json::value> parse_yaml(std::string_view text, const DecodeLimits& limits,
                                      std::vector<std::string>& duplicates);

}  // namespace muster::api
