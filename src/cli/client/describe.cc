#include "cli/client/describe.h"

#include <boost/json/array.hpp>
#include <ostream>

#include "cli/client/describe_text.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

class Describe {
public:
    Describe(const DescribeOptions& options, Session& session) : options_(options), session_(session) {}

    int run() {
        Result<Selection> selection = select_objects(session_, options_.selection);
        if (!selection.ok()) return tell(session_, selection.error());
        int exit_code = kExitDone;
        for (const Selected& target : selection->targets) {
            if (const Result<void> done = describe_target(target); !done.ok()) exit_code = tell(session_, done.error());
        }
        if (!any_ && exit_code == kExitDone) session_.terminal.err << "No resources found\n";
        return exit_code;
    }

private:
    Result<void> describe_target(const Selected& target) {
        std::vector<json::value> objects;
        const auto collect = [&](const Resource&, const json::value& object) { objects.push_back(object); };
        Result<void> found = each_object(session_, options_.selection, target, collect);
        if (!found.ok()) {
            // What is no name may be the start of some.
            if (target.name.empty() || found.error().code != Code::kNotFound) return found.error();
            const Selected all{target.resource, target.namespace_, ""};
            TRY(each_object(session_, options_.selection, all, [&](const Resource&, const json::value& object) {
                if (text_at(object, "/metadata/name").starts_with(target.name)) objects.push_back(object);
            }));
            if (objects.empty()) return found.error();
        }
        for (const json::value& object : objects) describe(*target.resource, object);
        return {};
    }

    void describe(const Resource& resource, const json::value& object) {
        DescribeText text;
        const Instant now = session_.now();
        const std::string kind = resource.api_version() + "/" + resource.kind;
        if (kind == "v1/Pod") {
            describe_pod(text, object);
        } else if (kind == "batch/v1/Job") {
            describe_job(text, object, now);
        } else if (kind == "batch/v1/CronJob") {
            describe_cron_job(text, object);
        } else if (kind == "v1/Node") {
            const std::string selector =
                "spec.nodeName=" + text_at(object, "/metadata/name") + ",status.phase!=Succeeded,status.phase!=Failed";
            const Result<json::value> pods =
                call(session_, {.target = "/api/v1/pods?limit=500&fieldSelector=" + client::escape_query(selector)});
            describe_node(text, object, pods.ok() ? &*pods : nullptr, now);
        } else {
            describe_any(text, object);
        }
        if (options_.show_events) {
            const Result<json::value> events = fetch_events(resource, object);
            if (events.ok()) describe_events(text, *events, now);
        }
        if (any_) session_.terminal.out << "\n\n";
        any_ = true;
        session_.terminal.out << text.aligned();
    }

    Result<json::value> fetch_events(const Resource& resource, const json::value& object) {
        const std::string space = text_at(object, "/metadata/namespace");
        // A node's events are about its name, not its uid: the agent cannot know the latter.
        const std::string uid =
            resource.kind == "Node" ? "" : ",involvedObject.uid=" + text_at(object, "/metadata/uid");
        std::string selector = "involvedObject.name=" + text_at(object, "/metadata/name");
        if (!space.empty()) selector += ",involvedObject.namespace=" + space;
        selector += ",involvedObject.kind=" + resource.kind + uid;
        const std::string where =
            space.empty() ? "/api/v1/events" : "/api/v1/namespaces/" + client::escape_query(space) + "/events";
        return call(session_, {.target = where + "?limit=500&fieldSelector=" + client::escape_query(selector)});
    }

    const DescribeOptions& options_;
    Session& session_;
    bool any_ = false;
};

}  // namespace

int run_describe(const DescribeOptions& options, Session& session) { return Describe(options, session).run(); }

}  // namespace muster::cli
