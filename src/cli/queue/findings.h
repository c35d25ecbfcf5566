// What of a cluster's queueing objects Muster does not serve. Pure: from the objects as the server sent them to rows.
// The rules are the same that refuse or warn when such an object is written (api/validation/queueing), so that the two
// cannot differ.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

struct QueueFinding {
    std::string kind;
    std::string namespace_;
    std::string name;
    std::string what;
    bool operator==(const QueueFinding&) const = default;
};
using QueueFindings = std::vector<QueueFinding>;

// A resource whose objects belong to a part of Kueue, or to a framework that it queues, and that Muster does not serve.
struct UnservedResource {
    const char* group;
    const char* plural;
    const char* what;
    bool queued_only;  // only objects with the label of a queue count
};
const std::vector<UnservedResource>& unserved_resources();

// Of one object; `kind` is its kind's name. Workloads that have finished have nothing to serve.
void find_in_object(std::string_view kind, const boost::json::object& object, QueueFindings& findings);
// Of an object of such a resource.
QueueFinding finding_of(const UnservedResource& resource, std::string_view kind, const boost::json::object& object);
// Of Kueue's configuration file.
void find_in_configuration(std::string_view yaml, QueueFindings& findings);

}  // namespace muster::cli
