// The log of the process while a test looks at it: keeps the lines in klog's form without their header.
#pragma once

#include <string>
#include <vector>

#include "os/log/log.h"
#include "os/log/log_format.h"

namespace muster::os {

class LogCapture {
public:
    explicit LogCapture(int verbosity = 10) : installed_(kept_, verbosity) {}

    // I "Created pods" job="default/pi"
    const std::vector<std::string>& lines() const { return kept_.lines; }
    bool has(std::string_view part) const {
        for (const std::string& line : kept_.lines)
            if (line.find(part) != std::string::npos) return true;
        return false;
    }

private:
    struct Kept final : Log {
        void write(const LogRecord& record) override {
            const std::string line = format_log_text(record, {});
            lines.push_back(line.substr(0, 1) + line.substr(line.find("] ") + 1));
        }
        std::vector<std::string> lines;
    };
    Kept kept_;
    InstalledLog installed_;
};

}  // namespace muster::os
