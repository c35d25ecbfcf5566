#include "controllers/job/pods/pod_names.h"

#include <algorithm>
#include <string>

namespace muster::controllers::jobs {
namespace {

// As Kubernetes does: letters and digits of which no words can be made.
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kPrefixMax = 58;
constexpr int kLettersAdded = 5;

}  // namespace

PodName PodNames::next(std::string_view generate_name, std::int32_t index,
                       const std::function<bool(const Text&)>& is_known) {
    std::erase_if(unanswered_, [&](const Unanswered& one) { return one.index == index && is_known(one.name); });
    const auto found =
        std::find_if(unanswered_.begin(), unanswered_.end(), [&](const Unanswered& one) { return one.index == index; });
    if (found != unanswered_.end()) {
        PodName name{found->name, true};
        unanswered_.erase(found);
        return name;
    }
    std::string name(generate_name.substr(0, kPrefixMax));
    for (int i = 0; i < kLettersAdded; ++i) name += kLetters[random_.below(kLetters.size())];
    return {name, false};
}

}  // namespace muster::controllers::jobs
