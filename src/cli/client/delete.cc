#include "cli/client/delete.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <ostream>

#include "cli/client/follow.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

Result<std::string> propagation_policy(const std::string& cascade) {
    if (cascade == "background" || cascade == "true") return std::string("Background");
    if (cascade == "foreground") return std::string("Foreground");
    if (cascade == "orphan" || cascade == "false") return std::string("Orphan");
    return Error{Code::kBadRequest,
                 "invalid cascade value (" + cascade + "). Must be \"background\", \"foreground\", or \"orphan\""};
}

struct Doomed {
    Selected object;
    std::string uid;
};

class Delete {
public:
    Delete(const DeleteOptions& options, Session& session) : options_(options), session_(session) {}

    int run() {
        if (Result<void> sane = check(); !sane.ok()) return tell(session_, sane.error());
        Result<Selection> selection = select_objects(session_, options_.selection);
        if (!selection.ok()) return tell(session_, selection.error());
        int exit_code = kExitDone;
        for (const Selected& target : selection->targets) {
            if (const Result<void> done = remove(target); !done.ok()) exit_code = tell(session_, done.error());
        }
        if (doomed_.empty() && exit_code == kExitDone && !missed_) session_.terminal.out << "No resources found\n";
        if (!options_.wait || options_.dry_run != DryRun::kNone) return exit_code;
        const Duration span = *parse_timeout(options_.timeout);
        const std::optional<Duration> timeout = span > Duration(0) ? std::optional(span) : std::nullopt;
        for (const Doomed& each : doomed_) {
            if (const Result<void> gone = wait_until_gone(each, timeout); !gone.ok())
                exit_code = tell(session_, gone.error());
        }
        return exit_code;
    }

private:
    Result<void> check() {
        TRY_ASSIGN(policy_, propagation_policy(options_.cascade));
        TRY(parse_timeout(options_.timeout));
        const SelectionOptions& chosen = options_.selection;
        if (chosen.all && !chosen.label_selector.empty())
            return Error{Code::kBadRequest, "cannot set --all and --selector at the same time"};
        if (options_.now && options_.grace_period_seconds)
            return Error{Code::kBadRequest, "--now and --grace-period cannot be specified together"};
        if (options_.grace_period_seconds == 0 && !options_.force)
            // As kubectl: nothing is killed at once unless forced.
            session_.terminal.err << "warning: --grace-period=0 without --force waits for the shortest grace period\n";
        const bool names_objects = chosen.arguments.size() > 1 || !chosen.files.empty() ||
                                   (!chosen.arguments.empty() && chosen.arguments[0].find('/') != std::string::npos);
        if (!chosen.arguments.empty() && !names_objects && !chosen.all && chosen.label_selector.empty() &&
            chosen.field_selector.empty())
            return Error{Code::kBadRequest, "resource(s) were provided, but no name was specified"};
        return {};
    }

    Result<void> remove(const Selected& target) {
        if (!target.name.empty()) return remove_one(target);
        std::vector<Selected> found;
        TRY(each_object(session_, options_.selection, target, [&](const Resource& resource, const json::value& object) {
            found.push_back({&resource, text_at(object, "/metadata/namespace"), text_at(object, "/metadata/name")});
        }));
        for (const Selected& object : found) TRY(remove_one(object));
        return {};
    }

    json::object body() const {
        json::object options{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", policy_}};
        std::optional<std::int64_t> grace = options_.grace_period_seconds;
        if (options_.now) grace = 1;
        if (grace == 0 && !options_.force) grace = 1;
        if (!grace && options_.force) grace = 0;
        if (grace && *grace >= 0) options["gracePeriodSeconds"] = *grace;
        if (options_.dry_run == DryRun::kServer) options["dryRun"] = json::array{"All"};
        return options;
    }

    Result<void> remove_one(const Selected& target) {
        Doomed doomed{target, ""};
        if (options_.dry_run != DryRun::kClient) {
            Result<json::value> answer =
                call(session_, {.method = "DELETE",
                                .target = target.resource->path(target.namespace_, target.name),
                                .content_type = "application/json",
                                .body = json::serialize(body())});
            if (!answer.ok()) {
                missed_ = true;
                const bool tolerated =
                    options_.ignore_not_found || options_.selection.all || !options_.selection.label_selector.empty();
                if (answer.error().code == Code::kNotFound && tolerated) return {};
                return answer.error();
            }
            doomed.uid = text_at(*answer, "/metadata/uid");
            if (doomed.uid.empty()) doomed.uid = text_at(*answer, "/details/uid");
        }
        report(target);
        doomed_.push_back(std::move(doomed));
        return {};
    }

    void report(const Selected& target) {
        const std::string name = target.resource->object_name(target.name);
        if (options_.output == "name") {
            session_.terminal.out << name << '\n' << std::flush;
            return;
        }
        const std::size_t slash = name.find('/');
        const bool forced = options_.force && options_.grace_period_seconds.value_or(0) == 0;
        session_.terminal.out << name.substr(0, slash) << " \"" << target.name << "\" "
                              << (forced ? "force deleted" : "deleted")
                              << (options_.dry_run == DryRun::kClient   ? " (dry run)"
                                  : options_.dry_run == DryRun::kServer ? " (server dry run)"
                                                                        : "")
                              << '\n'
                              << std::flush;
    }

    // Another object of the same name is not the one that was deleted.
    Result<void> wait_until_gone(const Doomed& doomed, std::optional<Duration> timeout) {
        return follow_object(session_, doomed.object, timeout, [&](const json::value* object) -> Result<bool> {
            return !object || (!doomed.uid.empty() && text_at(*object, "/metadata/uid") != doomed.uid);
        });
    }

    const DeleteOptions& options_;
    Session& session_;
    std::string policy_;
    std::vector<Doomed> doomed_;
    bool missed_ = false;
};

}  // namespace

int run_delete(const DeleteOptions& options, Session& session) { return Delete(options, session).run(); }

}  // namespace muster::cli
