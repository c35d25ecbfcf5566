#include "node/simulated/simulation.h"

#include <charconv>

namespace muster::node {
namespace {

constexpr std::int64_t kCountMax = 1'000'000'000;
constexpr int kCodeMax = 255;
constexpr std::uint64_t kWeightMax = 1'000'000;
constexpr std::size_t kCodesMax = 256;

Result<Duration> parse_span(std::string_view text) {
    const Error bad{Code::kBadRequest,
                    "\"" + std::string(text) + "\" is no span of time such as 150ms, 2s, 1m or 1s-5s"};
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || count < 0 || count > kCountMax) return bad;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (unit == "ms") return Duration(std::chrono::milliseconds(count));
    if (unit == "s") return Duration(std::chrono::seconds(count));
    if (unit == "m") return Duration(std::chrono::minutes(count));
    return bad;
}

template <class N>
bool read_whole(std::string_view text, N most, N& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= 0 && number <= most;
}

}  // namespace

Result<SimulatedSpan> parse_simulated_duration(std::string_view text) {
    const std::size_t dash = text.find('-');
    TRY_ASSIGN(const Duration least, parse_span(text.substr(0, dash)));
    if (dash == std::string_view::npos) return SimulatedSpan{least, least};
    TRY_ASSIGN(const Duration most, parse_span(text.substr(dash + 1)));
    if (most < least) return Error{Code::kBadRequest, "the longer of two spans comes second: " + std::string(text)};
    return SimulatedSpan{least, most};
}

Result<std::vector<SimulatedCode>> parse_simulated_exit_code(std::string_view text) {
    const Error bad{Code::kBadRequest, "\"" + std::string(text) +
                                           "\" is no exit code from 0 to 255, nor several with their weights such as "
                                           "0:9,1:1"};
    std::vector<SimulatedCode> codes;
    std::uint64_t sum = 0;
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view each = rest.substr(0, comma);
        const std::size_t colon = each.find(':');
        SimulatedCode& code = codes.emplace_back();
        if (!read_whole(each.substr(0, colon), kCodeMax, code.code)) return bad;
        // A weight is what tells one of several from a number with a slip in it.
        const bool weighed = colon != std::string_view::npos;
        if (weighed && !read_whole(each.substr(colon + 1), kWeightMax, code.weight)) return bad;
        if ((!weighed && comma != std::string_view::npos) || (!weighed && codes.size() > 1)) return bad;
        sum += code.weight;
        if (comma == std::string_view::npos) break;
        if (codes.size() == kCodesMax) return bad;
        rest.remove_prefix(comma + 1);
    }
    if (sum == 0) return bad;
    return codes;
}

Duration Simulation::draw_duration(Prng& prng) const {
    const auto width = static_cast<std::uint64_t>((span.most - span.least).count());
    return span.least + Duration(width == 0 ? 0 : static_cast<std::int64_t>(prng.below(width + 1)));
}

int Simulation::draw_code(Prng& prng) const {
    if (codes.size() == 1) return codes.front().code;
    std::uint64_t sum = 0;
    for (const SimulatedCode& each : codes) sum += each.weight;
    std::uint64_t drawn = prng.below(sum);
    for (const SimulatedCode& each : codes) {
        if (drawn < each.weight) return each.code;
        drawn -= each.weight;
    }
    return codes.back().code;
}

Simulation read_simulation(const Map<Text>& annotations) {
    Simulation simulation;
    const auto complain = [&](const char* annotation, const Error& error) {
        simulation.problems.push_back(std::string(annotation) + ": " + error.message);
    };
    if (const Text* text = annotations.find(kSimulatedDuration)) {
        if (auto span = parse_simulated_duration(*text); span.ok())
            simulation.span = *span;
        else
            complain(kSimulatedDuration, span.error());
    }
    if (const Text* text = annotations.find(kSimulatedExitCode)) {
        if (auto codes = parse_simulated_exit_code(*text); codes.ok())
            simulation.codes = *std::move(codes);
        else
            complain(kSimulatedExitCode, codes.error());
    }
    return simulation;
}

}  // namespace muster::node
