// The parts of a JSON text as slices of it, without a tree: an event of a watch or an item of a list goes to its
// decoder as it came. Only the shape is looked at here; the decoder judges the rest.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"

namespace muster::client {

// Calls for each member of the object, with the key as it is written between its quotes. kCorrupt when the text is no
// object.
Result<void> for_each_member(std::string_view object,
                             const std::function<Result<void>(std::string_view key, std::string_view value)>& found);
// Calls for each element of the array; a null has none.
Result<void> for_each_element(std::string_view array,
                              const std::function<Result<void>(std::string_view element)>& found);

// The text of a string without escapes; empty for anything else. Enough for words such as ADDED and for versions.
std::string_view plain_text(std::string_view value);

}  // namespace muster::client
