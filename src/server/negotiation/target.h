// A request's target taken apart: the decoded segments of its path and the parameters of its query. First thing done
// with a request, so that nothing behind it ever sees an escape, a NUL or a `..`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::server {

class Query {
public:
    Query() = default;

    bool has(std::string_view key) const { return find(key) != nullptr; }
    // The first value of that key, empty when absent.
    std::string_view get(std::string_view key) const;
    std::vector<std::string> all(std::string_view key) const;
    // Kubernetes' rule: present means true unless the value is 0 or, in any case, false. Absent is `nullopt`.
    std::optional<bool> flag(std::string_view key) const;
    bool is_set(std::string_view key) const { return flag(key).value_or(false); }
    // `nullopt` when absent or empty; what is not a decimal number of 64 bits is a bad request.
    Result<std::optional<std::int64_t>> integer(std::string_view key) const;

    void add(std::string key, std::string value) { pairs_.emplace_back(std::move(key), std::move(value)); }
    const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }

private:
    const std::string* find(std::string_view key) const;

    std::vector<std::pair<std::string, std::string>> pairs_;  // in the order they were sent
};

// "a=1&b=x+y": escapes decoded, plus is a space. A bad escape, a NUL or what is not UTF-8 is a bad request, and so are
// more than kQueryPairsMax parameters.
Result<Query> parse_query(std::string_view text);
inline constexpr std::size_t kQueryPairsMax = 1000;

struct Target {
    std::vector<std::string> segments;  // "api", "v1", "pods": never empty, ".", "..", and without slashes inside
    Query query;

    // "/api/v1/pods"
    std::string path() const;
};

// Splits a target such as "/api/v1/pods?limit=5". One slash at the end is allowed. Fails with kBadRequest.
Result<Target> parse_target(std::string_view target);

}  // namespace muster::server
