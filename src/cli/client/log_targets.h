// Whose logs are meant: containers of pods, as a pod's own document tells them.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::cli {

struct LogTarget {
    std::string namespace_{};
    std::string pod{};
    std::string container{};
    std::string run{};  // the identity of the container's latest start; empty when it has not started
    bool operator==(const LogTarget&) const = default;
};

// The containers of a pod whose logs are wanted: all, the one that is named, or the one that is meant when none is.
// `note` is what to tell the user about that choice, or empty. kBadRequest when there is no container of that name.
Result<std::vector<LogTarget>> log_targets(const boost::json::value& pod, const std::string& container, bool all,
                                           std::string& note);

// "a=b,c in (d,e)" of an object's spec.selector; kBadRequest when it selects no pods.
Result<std::string> pod_selector(const boost::json::value& object);

// Whether a Job, or a pod, has come to its end.
bool has_finished(const boost::json::value& object);

}  // namespace muster::cli
