// Looks into a document by JSON pointers ("/metadata/name"). What is not there is empty.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace muster::api {

// The text at a JSON pointer, empty when there is none; numbers and booleans as they are written.
std::string text_at(const boost::json::value& value, std::string_view pointer);
// The value there, null when there is none.
const boost::json::value* find_at(const boost::json::value& value, std::string_view pointer);
// The list there, an empty one when there is none.
const boost::json::array& array_at(const boost::json::value& value, std::string_view pointer);

}  // namespace muster::api
