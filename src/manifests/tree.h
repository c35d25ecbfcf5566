// Objects as trees of JSON values, for kinds that the program does not declare itself. The parts of an installation
// are built from these and printed as YAML.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace muster::manifests {

using Tree = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;

// Texts as an array. A list of texts in braces would be read as an object where it has two.
template <class Texts>
Array texts(const Texts& list) {
    Array out;
    for (const auto& text : list) out.emplace_back(std::string_view(text));
    return out;
}
inline Array texts(std::initializer_list<std::string_view> list) { return texts(std::vector<std::string_view>(list)); }

// One element: braces around one value would be that value.
inline Array one(Tree element) {
    Array out;
    out.push_back(std::move(element));
    return out;
}

}  // namespace muster::manifests
