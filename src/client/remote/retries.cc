#include "client/remote/retries.h"

#include <algorithm>
#include <charconv>

#include "base/reached.h"

namespace muster::client {
namespace {

constexpr std::int64_t kRetryAfterMax = 60;

}  // namespace

std::optional<Duration> retry_delay(const os::HttpAnswerHead& head, double chance) {
    if (head.status != 429 && head.status != 503) return std::nullopt;
    const std::string_view text = head.header("retry-after");
    std::int64_t seconds = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (text.empty() || code != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
    const auto asked = std::chrono::seconds(std::clamp<std::int64_t>(seconds, 1, kRetryAfterMax));
    return asked + std::chrono::duration_cast<Duration>(asked * (chance / 2));
}

os::Task<bool> Retries::again(const os::HttpAnswerHead& head, int& times) {
    if (head.status == 429) limiter_.slow_down();
    const std::optional<Duration> delay = retry_delay(head, random_.unit());
    if (!delay || times >= times_max_) co_return false;
    ++times;
    REACHED("a request is sent again because the server asked for it");
    co_await os::sleep_for(loop_, *delay);
    co_return true;
}

}  // namespace muster::client
