#include "cli/client/logs.h"

#include <boost/json/array.hpp>
#include <deque>
#include <ostream>
#include <set>

#include "api/codec/dom.h"
#include "api/value/span.h"
#include "cli/client/log_targets.h"
#include "cli/client/selection.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::int64_t kLabelledTail = 10;
constexpr std::int64_t kLabelledRequestsMax = 5;
constexpr std::int64_t kOwnedRequestsMax = 50;

// Which pods, and what to wait for when they are followed.
struct PodSet {
    std::string namespace_{};
    std::string selector{};    // of labels
    std::string owner_path{};  // of the collection that the owner is in, when there is one
    std::string owner_name{};
    bool ends = false;  // the owner comes to an end: a Job
};

// Everything of the query but the container.
Result<std::string> log_query(const LogsOptions& options, bool labelled) {
    std::string query;
    const auto add = [&](const std::string& pair) { query += '&' + pair; };
    if (options.follow) add("follow=true");
    if (options.previous) add("previous=true");
    if (options.timestamps) add("timestamps=true");
    if (!options.since.empty() && !options.since_time.empty())
        return Error{Code::kBadRequest, "at most one of --since and --since-time may be used"};
    if (!options.since.empty()) {
        TRY_ASSIGN(const api::Span span, api::Span::parse(options.since));
        if (span.duration() <= Duration(0)) return Error{Code::kBadRequest, "--since must be greater than 0"};
        add("sinceSeconds=" + std::to_string(std::chrono::ceil<std::chrono::seconds>(span.duration()).count()));
    }
    if (!options.since_time.empty()) add("sinceTime=" + client::escape_query(options.since_time));
    const std::int64_t tail = options.tail.value_or(labelled ? kLabelledTail : -1);
    if (tail >= 0) add("tailLines=" + std::to_string(tail));
    if (options.limit_bytes > 0) add("limitBytes=" + std::to_string(options.limit_bytes));
    return query;
}

class Logs {
public:
    Logs(const LogsOptions& options, Session& session) : options_(options), session_(session) {}

    Result<int> run() {
        const bool labelled = !options_.label_selector.empty();
        TRY(check());
        TRY_ASSIGN(query_, log_query(options_, labelled));
        PodSet set;
        set.namespace_ = session_.namespace_;
        set.selector = options_.label_selector;
        if (!labelled) {
            const std::string& subject = options_.arguments[0];
            if (subject.find('/') == std::string::npos) return run_pod(subject);
            SelectionOptions selection;
            selection.arguments = {subject};
            selection.namespace_ = session_.namespace_;
            TRY_ASSIGN(const Selection selected, select_objects(session_, selection));
            const Selected& target = selected.targets[0];
            if (target.resource->plural == "pods") return run_pod(target.name);
            TRY_ASSIGN(const json::value owner,
                       call(session_, {.target = target.resource->path(target.namespace_, target.name)}));
            TRY_ASSIGN(set.selector, pod_selector(owner));
            set.owner_path = target.resource->path(target.namespace_);
            set.owner_name = target.name;
            set.ends = target.resource->plural == "jobs";
        }
        return run_set(set);
    }

private:
    Result<> check() const {
        if (options_.label_selector.empty() && options_.arguments.empty())
            return Error{Code::kBadRequest, "expected 'logs POD', 'logs TYPE/NAME' or 'logs -l SELECTOR'"};
        if (!options_.label_selector.empty() && !options_.arguments.empty())
            return Error{Code::kBadRequest, "only a selector (-l) or a POD name is allowed"};
        if (options_.arguments.size() > 2)
            return Error{Code::kBadRequest, "expected 'logs POD [CONTAINER]' or 'logs TYPE/NAME [CONTAINER]'"};
        if (!container().empty() && options_.all_containers)
            return Error{Code::kBadRequest, "--all-containers=true should not be specified with container name"};
        if (options_.arguments.size() == 2 && !options_.container.empty())
            return Error{Code::kBadRequest, "only one of -c or an inline [CONTAINER] arg is allowed"};
        return {};
    }
    const std::string& container() const {
        return options_.arguments.size() == 2 ? options_.arguments[1] : options_.container;
    }

    Result<int> run_pod(const std::string& name) {
        TRY_ASSIGN(const json::value pod, call(session_, {.target = pods_path(session_.namespace_) + '/' + name}));
        TRY(add_pod(pod, true));
        pump();
        session_.connection.run_streams(streams_);
        return exit_code_;
    }

    Result<int> run_set(const PodSet& set) {
        list_path_ = pods_path(set.namespace_) + "?labelSelector=" + client::escape_query(set.selector);
        TRY_ASSIGN(const json::value list, call(session_, {.target = list_path_}));
        const json::array& pods = array_at(list, "/items");
        const bool comes_more = options_.follow && !set.owner_path.empty();
        if (pods.empty() && !comes_more) {
            session_.terminal.err << "No resources found in " << set.namespace_ << " namespace.\n";
            return kExitDone;
        }
        at_once_max_ = options_.requests_max.value_or(comes_more ? kOwnedRequestsMax : kLabelledRequestsMax);
        for (const json::value& pod : pods) TRY(add_pod(pod, !comes_more));
        if (options_.follow && !comes_more && static_cast<std::int64_t>(waiting_.size()) > at_once_max_)
            return Error{Code::kBadRequest, "you are attempting to follow " + std::to_string(waiting_.size()) +
                                                " log streams, but maximum allowed concurrency is " +
                                                std::to_string(at_once_max_) +
                                                ", use --max-log-requests to increase the limit"};
        // One after the other unless they go on.
        if (!options_.follow) at_once_max_ = 1;
        if (comes_more) watch_pods(text_at(list, "/metadata/resourceVersion"));
        if (comes_more && set.ends) watch_owner(set);
        pump();
        session_.connection.run_streams(streams_);
        return exit_code_;
    }

    static std::string pods_path(const std::string& namespace_) { return "/api/v1/namespaces/" + namespace_ + "/pods"; }

    // `insists`: a container that has not started is an error for the server to tell.
    Result<> add_pod(const json::value& pod, bool insists) {
        std::string note;
        TRY_ASSIGN(const std::vector<LogTarget> targets, log_targets(pod, container(), options_.all_containers, note));
        if (!note.empty() && noted_.insert(note).second) session_.terminal.err << note << '\n';
        for (const LogTarget& target : targets) {
            if (target.run.empty() && !insists) continue;
            const std::string key = target.pod + '/' + target.container + '/' + target.run;
            if (opened_.insert(key).second) waiting_.push_back(target);
        }
        return {};
    }

    // Begins as many as may be read at once.
    void pump() {
        for (; !waiting_.empty() && reading_ < at_once_max_ && !given_up_; waiting_.pop_front()) open(waiting_.front());
        if (all_known_ && waiting_.empty() && reading_ == 0) streams_.stop();
    }

    void open(const LogTarget& target) {
        ++reading_;
        Request request;
        request.target =
            pods_path(target.namespace_) + '/' + target.pod + "/log?container=" + target.container + query_;
        request.accept = "*/*";
        const std::string prefix = options_.prefix ? "[pod/" + target.pod + '/' + target.container + "] " : "";
        streams_.add(
            std::move(request),
            [this, prefix](std::string_view line) {
                session_.terminal.out << prefix << line << '\n';
                if (options_.follow) session_.terminal.out << std::flush;
                return session_.terminal.out.good();
            },
            [this](const Result<Response>& response) { on_end(response); });
    }

    void on_end(const Result<Response>& response) {
        --reading_;
        if (!response.ok() || response->status != 200) {
            tell(session_, response.ok() ? status_error(response->status, response->body) : response.error());
            exit_code_ = kExitFailed;
            if (!options_.ignore_errors) given_up_ = true;
            if (given_up_) streams_.stop();
        }
        pump();
    }

    // Pods that come later, and starts of containers.
    void watch_pods(const std::string& version) {
        Request request;
        request.target = list_path_ + "&watch=true&allowWatchBookmarks=true&resourceVersion=" + version;
        streams_.add(
            std::move(request),
            [this](std::string_view line) {
                const Result<json::value> event = api::parse_dom(line, {.bytes_max = 64u << 20});
                if (!event.ok()) return false;
                const std::string type = text_at(*event, "/type");
                const json::value* pod = find_at(*event, "/object");
                if (pod && (type == "ADDED" || type == "MODIFIED")) (void)add_pod(*pod, false).ok();
                if (type == "BOOKMARK" || type == "ADDED" || type == "MODIFIED" || type == "DELETED")
                    seen_version_ = text_at(*event, "/object/metadata/resourceVersion");
                pump();
                return type != "ERROR";
            },
            [this](const Result<Response>& response) {
                // A watch that the server ends is begun again where it ended.
                if (!response.ok() || response->status != 200) return fail_watch(response);
                watch_pods(seen_version_);
            });
    }

    void watch_owner(const PodSet& set) {
        Request request;
        request.target =
            set.owner_path + "?watch=true&fieldSelector=" + client::escape_query("metadata.name=" + set.owner_name);
        streams_.add(
            std::move(request),
            [this](std::string_view line) {
                const Result<json::value> event = api::parse_dom(line, {.bytes_max = 64u << 20});
                const json::value* owner = event.ok() ? find_at(*event, "/object") : nullptr;
                const bool ended = owner && (text_at(*event, "/type") == "DELETED" || has_finished(*owner));
                if (ended && !std::exchange(owner_ended_, true)) look_again();
                return !ended;
            },
            [this, set](const Result<Response>& response) {
                if (!response.ok() || response->status != 200) return fail_watch(response);
                if (!owner_ended_) watch_owner(set);
            });
    }

    // Its last pods started before it ended, but we may hear of them later.
    void look_again() {
        Request request;
        request.target = list_path_;
        streams_.add(
            std::move(request),
            [this](std::string_view line) {
                const Result<json::value> list = api::parse_dom(line, {.bytes_max = 1u << 30});
                if (list.ok())
                    for (const json::value& pod : array_at(*list, "/items")) (void)add_pod(pod, false).ok();
                return true;
            },
            [this](const Result<Response>&) {
                all_known_ = true;
                pump();
            });
    }

    void fail_watch(const Result<Response>& response) {
        if (owner_ended_) return;
        tell(session_, response.ok() ? status_error(response->status, response->body) : response.error());
        exit_code_ = kExitFailed;
        streams_.stop();
    }

    const LogsOptions& options_;
    Session& session_;
    std::string query_;
    std::string list_path_;  // of the pods of an owner
    LineStreams streams_;
    std::deque<LogTarget> waiting_;
    std::set<std::string> opened_;
    std::set<std::string> noted_;
    std::string seen_version_;
    std::int64_t at_once_max_ = 1;
    std::int64_t reading_ = 0;
    bool owner_ended_ = false;
    bool all_known_ = false;  // nothing comes that we have not heard of
    bool given_up_ = false;
    int exit_code_ = kExitDone;
};

}  // namespace

int run_logs(const LogsOptions& options, Session& session) {
    Logs logs(options, session);
    const Result<int> code = logs.run();
    session.terminal.out << std::flush;
    return code.ok() ? *code : tell(session, code.error());
}

}  // namespace muster::cli
