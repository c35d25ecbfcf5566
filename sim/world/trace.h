// The trace of a run, a line for each event: the time, the subject and the event. It costs nothing while it is off: a
// run that fails is repeated with the trace on, and is the same.
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
    // `what` is called only when the trace is on.
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
