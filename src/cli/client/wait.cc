#include "cli/client/wait.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <ostream>

#include "cli/client/follow.h"
#include "cli/text/document.h"
#include "cli/text/json_path.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

bool same_ignoring_case(std::string_view left, std::string_view right) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(), [&](char a, char b) { return lower(a) == lower(b); });
}

// A condition that speaks of an older state of the object says nothing yet.
bool is_current(const json::value& object, const json::value& condition) {
    const json::value* observed = find_at(condition, "/observedGeneration");
    if (!observed) observed = find_at(object, "/status/observedGeneration");
    const json::value* generation = find_at(object, "/metadata/generation");
    if (!observed || !generation || !observed->is_int64() || !generation->is_int64()) return true;
    return observed->as_int64() >= generation->as_int64();
}

bool has_condition(const json::value& object, std::string_view type, std::string_view wanted) {
    const json::value* conditions = find_at(object, "/status/conditions");
    if (!conditions || !conditions->is_array()) return false;
    for (const json::value& condition : conditions->as_array())
        if (same_ignoring_case(text_at(condition, "/type"), type))
            return is_current(object, condition) && same_ignoring_case(text_at(condition, "/status"), wanted);
    return false;
}

std::string unquote(std::string_view text) {
    if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0])
        text = text.substr(1, text.size() - 2);
    return std::string(text);
}

Error gone() { return {Code::kNotFound, "the object was deleted while waiting for the condition"}; }

Result<IsReached> parse_for(const std::string& text) {
    if (same_ignoring_case(text, "delete")) return IsReached([](const json::value* object) { return !object; });
    if (same_ignoring_case(text, "create"))
        return IsReached([](const json::value* object) { return object != nullptr; });
    if (text.starts_with("condition=")) {
        std::string type = text.substr(10);
        std::string wanted = "true";
        if (const std::size_t equals = type.find('='); equals != std::string::npos) {
            wanted = unquote(std::string_view(type).substr(equals + 1));
            type.resize(equals);
        }
        return IsReached([type, wanted](const json::value* object) -> Result<bool> {
            if (!object) return gone();
            return has_condition(*object, type, wanted);
        });
    }
    if (text.starts_with("jsonpath=")) {
        const std::string rest = unquote(std::string_view(text).substr(9));
        const std::size_t close = rest.rfind('}');
        if (close == std::string::npos)
            return Error{Code::kBadRequest, "jsonpath wait condition must be of the form jsonpath='{...}'[=value]"};
        TRY_ASSIGN(const JsonPath path, JsonPath::parse(rest.substr(0, close + 1)));
        const std::string after = rest.substr(close + 1);
        if (!after.empty() && after[0] != '=')
            return Error{Code::kBadRequest, "jsonpath wait condition must be of the form jsonpath='{...}'[=value]"};
        const std::optional<std::string> wanted =
            after.empty() ? std::nullopt
                          : std::optional(unquote(std::string_view(after).substr(after.starts_with("==") ? 2 : 1)));
        return IsReached([path, wanted](const json::value* object) -> Result<bool> {
            if (!object) return gone();
            const std::vector<const json::value*> found = path.find(*object);
            if (found.size() > 1)
                return Error{Code::kBadRequest, "given jsonpath expression matches more than one value"};
            if (found.empty()) return false;
            if (!wanted) return true;
            const json::value& value = *found[0];
            if (value.is_object() || value.is_array())
                return Error{Code::kBadRequest, "jsonpath leads to a nested object or list which is not supported"};
            return (value.is_string() ? std::string(value.as_string()) : json::serialize(value)) == *wanted;
        });
    }
    return Error{Code::kBadRequest, "unrecognized condition: \"" + text + "\""};
}

struct Targets {
    Selection selection;  // has the resources that the objects point to
    std::vector<Selected> objects;
};

// The objects to wait for. Without names, those that are there now.
Result<Targets> find_targets(Session& session, const WaitOptions& options, bool may_be_absent) {
    TRY_ASSIGN(Selection selection, select_objects(session, options.selection));
    Targets out{std::move(selection), {}};
    const SelectionOptions& chosen = options.selection;
    for (const Selected& target : out.selection.targets) {
        if (!target.name.empty()) {
            if (!may_be_absent) TRY(call(session, {.target = target.resource->path(target.namespace_, target.name)}));
            out.objects.push_back(target);
            continue;
        }
        if (chosen.label_selector.empty() && chosen.field_selector.empty() && !chosen.all)
            return Error{Code::kBadRequest, "resource(s) were provided, but no name was specified"};
        TRY(each_object(session, chosen, target, [&](const Resource& resource, const json::value& object) {
            out.objects.push_back(
                {&resource, text_at(object, "/metadata/namespace"), text_at(object, "/metadata/name")});
        }));
    }
    return out;
}

}  // namespace

int run_wait(const WaitOptions& options, Session& session) {
    const Result<IsReached> is_reached = parse_for(options.for_);
    if (!is_reached.ok()) return tell(session, is_reached.error());
    const Result<Duration> timeout = parse_timeout(options.timeout);
    if (!timeout.ok()) return tell(session, timeout.error());
    const bool to_be_gone = same_ignoring_case(options.for_, "delete");
    const bool to_exist = same_ignoring_case(options.for_, "create");
    const Result<Targets> targets = find_targets(session, options, to_be_gone || to_exist);
    if (!targets.ok()) return tell(session, targets.error());
    if (targets->objects.empty()) {
        if (to_be_gone) return kExitDone;
        return tell(session, {Code::kNotFound, "no matching resources found"});
    }
    const Instant deadline = session.now() + *timeout;
    int exit_code = kExitDone;
    for (const Selected& target : targets->objects) {
        // Zero asks once; the span is for all of them together.
        const Duration left = std::max(deadline - session.now(), Duration(0));
        const Result<void> reached = follow_object(session, target, left, *is_reached);
        if (!reached.ok()) {
            exit_code = tell(session, reached.error());
            continue;
        }
        session.terminal.out << target.resource->object_name(target.name) << " condition met\n" << std::flush;
    }
    return exit_code;
}

}  // namespace muster::cli
