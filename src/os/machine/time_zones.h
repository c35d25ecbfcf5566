// The machine's time zones, by their names in the IANA database.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::os {

class TimeZones {
public:
    explicit TimeZones(std::string directory = "/usr/share/zoneinfo") : directory_(std::move(directory)) {}

    // Whether there is such a zone: "Europe/Paris". What was looked up is remembered. UTC is always there; names that
    // leave the directory, and "Local", never are.
    bool knows(std::string_view name);
    // The zone in the database's compiled form (TZif). kNotFound when there is none.
    Result<std::string> read(std::string_view name) const;

private:
    static constexpr std::size_t kRememberedMax = 4096;
    std::string directory_;
    std::map<std::string, bool, std::less<>> known_;
};

}  // namespace muster::os
