#include "sim/world/trace.h"

#include <algorithm>
#include <cstdio>

namespace muster::sim {
namespace {

constexpr std::size_t kLinesMax = 200'000;

}  // namespace

void Trace::add(Duration at, std::string_view subject, const std::string& what) {
    char when[32];
    std::snprintf(when, sizeof(when), "%11.6f", std::chrono::duration<double>(at).count());
    std::string text = std::string(when) + ' ' + std::string(subject) + ": " + what;
    if (want == Want::kPrint) std::printf("%s\n", text.c_str());
    lines_.push_back({std::string(subject), std::move(text)});
    if (lines_.size() > kLinesMax) lines_.pop_front();
}

std::vector<std::string> Trace::last_of(std::string_view subject, std::size_t count) const {
    std::vector<std::string> found;
    for (auto line = lines_.rbegin(); line != lines_.rend() && found.size() < count; ++line) {
        // Pods of a Job are called after it; what is about everybody is told unless it is about another object.
        const bool of_all = line->subject == "*" && line->text.find('/') == std::string::npos;
        const bool about = of_all || line->text.find(subject) != std::string::npos;
        if (about) found.push_back(line->text);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace muster::sim
