// What happened, a line for each event: when, to what, and what. It costs nothing unless somebody wants it: a run that
// fails is run again with the trace on, and is the same.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace muster::sim {

class Trace {
public:
    enum class Want { kNothing, kKeep, kPrint };
    Want want = Want::kNothing;

    bool on() const { return want != Want::kNothing; }
    // `what` is asked only when somebody wants to know.
    template <class What>
    void note(Duration at, std::string_view subject, const What& what) {
        if (on()) add(at, subject, what());
    }
    // The last so many lines that are about the subject or about everybody.
    std::vector<std::string> last_of(std::string_view subject, std::size_t count) const;

private:
    struct Line {
        std::string subject;
        std::string text;
    };
    void add(Duration at, std::string_view subject, const std::string& what);

    std::deque<Line> lines_;
};

}  // namespace muster::sim
