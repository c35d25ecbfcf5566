#include "cli/client/selection.h"

#include <boost/json/array.hpp>

#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

Error usage(std::string message) { return {Code::kBadRequest, std::move(message)}; }

std::string namespace_for(const Session& session, const SelectionOptions& options, const Resource& resource) {
    if (!resource.namespaced || options.all_namespaces) return "";
    return options.namespace_.empty() ? session.namespace_ : options.namespace_;
}

Result<void> add_slashed(const Session& session, const SelectionOptions& options, Selection& out) {
    for (const std::string& argument : options.arguments) {
        const std::size_t slash = argument.find('/');
        if (slash == std::string::npos || slash + 1 == argument.size() ||
            argument.find('/', slash + 1) != std::string::npos)
            return usage(
                "there is no need to specify a resource type as a separate argument when passing arguments in "
                "resource/name form (e.g. 'muster get resource/<resource_name>' instead of 'muster get resource "
                "resource/<resource_name>'");
        TRY_ASSIGN(const Resource* resource, out.resources.find(argument.substr(0, slash)));
        if (resource->namespaced && options.all_namespaces)
            return usage("a resource cannot be retrieved by name across all namespaces");
        out.targets.push_back({resource, namespace_for(session, options, *resource), argument.substr(slash + 1)});
    }
    return {};
}

Result<void> add_arguments(const Session& session, const SelectionOptions& options, Selection& out) {
    if (options.arguments[0].find('/') != std::string::npos) return add_slashed(session, options, out);
    TRY_ASSIGN(const std::vector<const Resource*> types, out.resources.find_all(options.arguments[0]));
    for (const Resource* type : types) {
        const std::string space = namespace_for(session, options, *type);
        if (options.arguments.size() == 1) {
            out.targets.push_back({type, space, ""});
            continue;
        }
        if (!options.label_selector.empty()) return usage("name cannot be provided when a selector is specified");
        if (type->namespaced && options.all_namespaces)
            return usage("a resource cannot be retrieved by name across all namespaces");
        for (std::size_t i = 1; i < options.arguments.size(); ++i) {
            if (options.arguments[i].find('/') != std::string::npos)
                return usage(
                    "there is no need to specify a resource type as a separate argument when passing arguments "
                    "in resource/name form");
            out.targets.push_back({type, space, options.arguments[i]});
        }
    }
    return {};
}

Result<void> add_files(Session& session, const SelectionOptions& options, Selection& out) {
    const auto add = [&](const Result<std::vector<json::object>>& objects) -> Result<void> {
        TRY(objects);
        for (const json::object& object : *objects) {
            const json::value value(object);
            TRY_ASSIGN(const Resource* resource,
                       out.resources.find_kind(text_at(value, "/apiVersion"), text_at(value, "/kind")));
            std::string space = text_at(value, "/metadata/namespace");
            if (space.empty() || !resource->namespaced) space = namespace_for(session, options, *resource);
            out.targets.push_back({resource, space, text_at(value, "/metadata/name")});
        }
        return {};
    };
    Result<void> added;
    each_manifest(session, options.files, options.recursive, [&](const auto& objects) {
        added = add(objects);
        return added.ok();
    });
    return added;
}

}  // namespace

Result<Selection> select_objects(Session& session, const SelectionOptions& options) {
    if (options.arguments.empty() && options.files.empty())
        return usage(
            "You must specify the type of resource. Use \"muster api-resources\" for a list of supported "
            "resources.");
    TRY_ASSIGN(ResourceMap resources, ResourceMap::fetch(session));
    Selection out{std::move(resources), {}};
    if (!options.arguments.empty()) TRY(add_arguments(session, options, out));
    TRY(add_files(session, options, out));
    for (const Selected& target : out.targets)
        out.named_types_mixed = out.named_types_mixed || target.resource != out.targets[0].resource;
    return out;
}

std::string selection_query(const SelectionOptions& options, std::vector<std::string> more) {
    if (!options.label_selector.empty())
        more.push_back("labelSelector=" + client::escape_query(options.label_selector));
    if (!options.field_selector.empty())
        more.push_back("fieldSelector=" + client::escape_query(options.field_selector));
    std::string out;
    for (const std::string& pair : more) out += (out.empty() ? "?" : "&") + pair;
    return out;
}

Result<void> each_object(Session& session, const SelectionOptions& options, const Selected& target,
                         const OnObject& found) {
    const std::string path = target.resource->path(target.namespace_, target.name);
    if (!target.name.empty()) {
        TRY_ASSIGN(const json::value object, call(session, {.target = path}));
        found(*target.resource, object);
        return {};
    }
    std::string next;
    do {
        std::vector<std::string> more{"limit=500"};
        if (!next.empty()) more.push_back("continue=" + client::escape_query(next));
        TRY_ASSIGN(json::value list, call(session, {.target = path + selection_query(options, std::move(more))}));
        next = text_at(list, "/metadata/continue");
        json::value* items = list.as_object().if_contains("items");
        if (!items || !items->is_array()) break;
        for (json::value& item : items->as_array()) {
            // Items of a list do not say what they are; alone they must.
            json::object& object = item.as_object();
            object["apiVersion"] = target.resource->api_version();
            object["kind"] = target.resource->kind;
            found(*target.resource, item);
        }
    } while (!next.empty());
    return {};
}

}  // namespace muster::cli
