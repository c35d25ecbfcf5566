#include "cli/client/follow.h"

#include <boost/json/array.hpp>

#include "api/value/span.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

// A watch that the server ends sooner is begun again.
constexpr std::int64_t kWatchSecondsMax = 300;

Error timed_out(const Selected& target) {
    return {Code::kTimeout, "timed out waiting for the condition on " + target.resource->plural + "/" + target.name};
}

class Follow {
public:
    Follow(Session& session, const Selected& target, std::optional<Duration> timeout, const IsReached& is_reached)
        : session_(session), target_(target), is_reached_(is_reached) {
        if (timeout) deadline_ = session.now() + *timeout;
    }

    Result<void> run() {
        while (true) {
            TRY_ASSIGN(const std::string version, look());
            if (reached_) return {};
            TRY_ASSIGN(const bool went_on, watch(version));
            if (reached_) return {};
            if (!went_on) return timed_out(target_);
        }
    }

private:
    std::string selector() const { return "fieldSelector=" + client::escape_query("metadata.name=" + target_.name); }

    // The present state. Gives the version of the list, from which to watch.
    Result<std::string> look() {
        TRY_ASSIGN(const json::value list,
                   call(session_, {.target = target_.resource->path(target_.namespace_) + "?" + selector()}));
        const json::value* items = find_at(list, "/items");
        const bool there = items && items->is_array() && !items->as_array().empty();
        TRY_ASSIGN(reached_, is_reached_(there ? &items->as_array()[0] : nullptr));
        return text_at(list, "/metadata/resourceVersion");
    }

    // What happens from there on. False when the time is up.
    Result<bool> watch(const std::string& version) {
        std::int64_t seconds = kWatchSecondsMax;
        if (deadline_) {
            const Duration left = *deadline_ - session_.now();
            if (left <= Duration(0)) return false;
            seconds = std::min(seconds, std::chrono::ceil<std::chrono::seconds>(left).count());
        }
        const Request request{.target = target_.resource->path(target_.namespace_) + "?" + selector() +
                                        "&watch=true&allowWatchBookmarks=true&resourceVersion=" + version +
                                        "&timeoutSeconds=" + std::to_string(seconds)};
        std::optional<Error> failure;
        TRY_ASSIGN(const Response response,
                   session_.connection.stream(request, [&](std::string_view line) { return on_event(line, failure); }));
        if (failure) return *failure;
        // Too old a version: look again.
        if (response.status == 410) return true;
        if (response.status != 200) return status_error(response.status, response.body);
        return true;
    }

    bool on_event(std::string_view line, std::optional<Error>& failure) {
        const Result<json::value> event = parse_answer(line);
        if (!event.ok()) return false;
        const std::string type = text_at(*event, "/type");
        if (type == "ERROR") return false;  // look again
        if (type == "BOOKMARK") return true;
        const Result<bool> done = is_reached_(type == "DELETED" ? nullptr : find_at(*event, "/object"));
        if (!done.ok()) {
            failure = done.error();
            return false;
        }
        reached_ = *done;
        return !reached_;
    }

    Session& session_;
    const Selected& target_;
    const IsReached& is_reached_;
    std::optional<Instant> deadline_;
    bool reached_ = false;
};

}  // namespace

Result<void> follow_object(Session& session, const Selected& target, std::optional<Duration> timeout,
                           const IsReached& is_reached) {
    return Follow(session, target, timeout, is_reached).run();
}

Result<Duration> parse_timeout(std::string_view text) {
    TRY_ASSIGN(const api::Span span, api::Span::parse(text));
    return span.duration() < Duration(0) ? Duration(24h * 7) : span.duration();
}

}  // namespace muster::cli
