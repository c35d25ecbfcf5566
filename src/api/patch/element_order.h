// The order of a merged list. A patch names some elements of a list, in the order it wants them; the others, which only
// the live object has, stay in their own order and are put in where the live order allows it.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

namespace muster::api {

// An element and what identifies it: itself for a scalar, its merge key's value for an object.
struct KeyedElement {
    std::string key;
    boost::json::value element;
};

// `wanted` elements come in wanted's order, all others in live's. Where the two sequences meet, an element from live
// goes first only when live has both and has it in front. Elements that neither names keep their order, at the end.
std::vector<KeyedElement> order_elements(std::vector<KeyedElement> elements, const std::vector<std::string>& wanted,
                                         const std::vector<std::string>& live);

}  // namespace muster::api
