// What was typed, brought into a form in which the parsing library reads it as kubectl's would be read.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace muster::cli {

// The flags that say which server and namespace and what is logged may stand before the verb: "-n lab get jobs" → "get
// -n lab jobs".
std::vector<std::string> with_verb_first(std::vector<std::string> arguments);

// "-n=lab" → "--namespace=lab", "-Ao=json" → "-A --output=json": the library would take the sign into the value. What
// stands behind "--", and flags that the verb does not have, stay as they are. The verb is the first argument.
std::vector<std::string> with_values_apart(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace muster::cli
