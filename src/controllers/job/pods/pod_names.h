// The names of a Job's pods. They are chosen here and not by the server, so that a creation whose answer was lost can
// be repeated under the same name: of both the server makes one pod.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "base/result.h"
#include "base/text.h"

namespace muster::controllers::jobs {

struct PodName {
    Text text;
    bool repeated = false;  // a creation under this name was not answered
    bool operator==(const PodName&) const = default;
};

class PodNames {
public:
    explicit PodNames(std::uint64_t seed) : random_(seed) {}

    // A name for a pod of that index: one whose creation was not answered, else a new one. What `is_known` names is
    // there already, and is not used again.
    PodName next(std::string_view generate_name, std::int32_t index, const std::function<bool(const Text&)>& is_known);
    // The pod may be there or not.
    void unanswered(std::int32_t index, Text name) { unanswered_.push_back({index, std::move(name)}); }

private:
    struct Unanswered {
        std::int32_t index;
        Text name;
    };
    Prng random_;
    std::vector<Unanswered> unanswered_;
};

}  // namespace muster::controllers::jobs
