// What one part of a run is told: "fault crash every=200ms..5s lose=50". A value may leave something to chance, a
// range a..b or a choice a|b|c; `draw` decides it, once for a seed, so that what is printed is what is run.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/prng.h"
#include "base/result.h"

namespace muster::sim {

class Settings {
public:
    Settings() = default;
    // "key=value key=value". kBadRequest for a word without '='.
    static Result<Settings> parse(std::string_view words);

    // Ranges and choices become values.
    Settings draw(Prng& random) const;

    // From now on only these keys are asked for. kBadRequest with the first key that is none of them.
    Result<> declare(std::span<const std::string_view> keys);

    bool has(std::string_view key) const { return find(key) != values_.end(); }
    void set(std::string key, std::string value) { values_[std::move(key)] = std::move(value); }
    // What the value is; `otherwise` when there is none. CHECKs that it can be read: scenarios are ours.
    std::int64_t number(std::string_view key, std::int64_t otherwise) const;
    Duration span(std::string_view key, Duration otherwise) const;
    std::string text(std::string_view key, std::string_view otherwise) const;
    // "every=1s..5s" again and again: the value stays a range, and each call draws from it.
    Duration span_between(std::string_view key, Duration least, Duration most, Prng& random) const;

    std::string format() const;

private:
    using Values = std::map<std::string, std::string, std::less<>>;
    // CHECKs that the key is declared: otherwise a scenario that has it would be refused.
    Values::const_iterator find(std::string_view key) const;

    Values values_;
    std::span<const std::string_view> declared_{};  // none: any key
};

// "250ms", "3s", "2m", "1h".
Result<Duration> parse_span(std::string_view text);

}  // namespace muster::sim
