// What an operator can ask of a running process beside its numbers: what waits, for what, and since when. Each part of
// the process adds what it can tell under a topic; /debug prints it (endpoints/debug.h). Nothing secret: rows name
// objects and say how long. To be used on the loop only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "os/log/log.h"

namespace muster::client {

class Inspection {
public:
    // The names are literals.
    using Row = std::vector<os::LogField>;
    using Rows = std::vector<Row>;
    using Report = std::function<void(Rows& rows)>;
    // What one report adds of single objects, at most.
    static constexpr std::size_t kRowsMax = 100;

    // Until forget() with what this gave.
    int add(std::string_view topic, Report report) {
        reports_.emplace(++last_, Entry{std::string(topic), std::move(report)});
        return last_;
    }
    void forget(int id) { reports_.erase(id); }

    Rows ask(std::string_view topic) const {
        Rows rows;
        for (const auto& [id, entry] : reports_)
            if (entry.topic == topic) entry.report(rows);
        return rows;
    }

private:
    struct Entry {
        std::string topic;
        Report report;
    };
    std::map<int, Entry> reports_;
    int last_ = 0;
};

// The topics.
inline constexpr const char* kMirrorsTopic = "mirrors";
inline constexpr const char* kQueuesTopic = "queues";
inline constexpr const char* kUnseenTopic = "unseen";

}  // namespace muster::client
