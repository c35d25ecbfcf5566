#include "api/codec/dom_at.h"

#include <boost/json/serialize.hpp>

namespace muster::api {

namespace json = boost::json;

const json::value* find_at(const json::value& value, std::string_view pointer) {
    boost::system::error_code error;
    return value.find_pointer(pointer, error);
}

const json::array& array_at(const json::value& value, std::string_view pointer) {
    static const json::array empty;
    const json::value* found = find_at(value, pointer);
    return found && found->is_array() ? found->as_array() : empty;
}

std::string text_at(const json::value& value, std::string_view pointer) {
    const json::value* found = find_at(value, pointer);
    if (!found || found->is_null()) return "";
    if (found->is_string()) return std::string(found->as_string());
    return json::serialize(*found);
}

}  // namespace muster::api
