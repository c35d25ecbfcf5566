#include "cli/client/uninstall_check.h"

#include <ostream>

#include "cli/text/document.h"

namespace muster::cli {
namespace {

bool has_ended(const boost::json::value& job) {
    for (const boost::json::value& condition : array_at(job, "/status/conditions")) {
        const std::string type = text_at(condition, "/type");
        if ((type == "Complete" || type == "Failed") && text_at(condition, "/status") == "True") return true;
    }
    return false;
}

// Lists are read in pages: a cluster may have very many Jobs.
std::string page_target(const std::string& namespace_, std::string_view next) {
    std::string target = "/apis/batch/v1/";
    if (!namespace_.empty()) target += "namespaces/" + client::escape_query(namespace_) + '/';
    target += "jobs?limit=500";
    if (!next.empty()) target += "&continue=" + client::escape_query(next);
    return target;
}

}  // namespace

int run_uninstall_check(const UninstallCheckOptions& options, Session& session) {
    std::size_t found = 0;
    std::string next;
    do {
        const Result<boost::json::value> page = call(session, {.target = page_target(options.namespace_, next)});
        if (!page.ok()) return tell(session, page.error());
        for (const boost::json::value& job : array_at(*page, "/items")) {
            if (text_at(job, "/spec/managedBy") != options.managed_by || has_ended(job)) continue;
            if (found++ == 0) session.terminal.out << "Only Muster runs these Jobs, and they have not finished:\n";
            session.terminal.out << "  " << text_at(job, "/metadata/namespace") << '/' << text_at(job, "/metadata/name")
                                 << '\n';
        }
        next = text_at(*page, "/metadata/continue");
    } while (!next.empty());
    if (found == 0) {
        session.terminal.out << "There is no unfinished Job that only Muster runs"
                             << (options.namespace_.empty() ? "" : " in namespace " + options.namespace_) << ".\n";
        return kExitDone;
    }
    session.terminal.out
        << "Let them finish, or delete them: without Muster they stand still, and spec.managedBy cannot "
           "be changed.\n";
    return kExitFailed;
}

}  // namespace muster::cli
