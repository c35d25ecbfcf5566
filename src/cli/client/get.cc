#include "cli/client/get.h"

#include <boost/json/array.hpp>
#include <optional>
#include <ostream>

#include "cli/text/document.h"
#include "cli/text/json_path.h"
#include "cli/text/table_text.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr const char* kTableAccept =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
constexpr std::string_view kJsonPath = "jsonpath=";

bool is_table(const GetOptions& options) { return options.output.empty() || options.output == "wide"; }

Result<void> check_output(const std::string& output) {
    for (const char* known : {"", "wide", "json", "yaml", "name"})
        if (output == known) return {};
    if (output.starts_with(kJsonPath)) {
        TRY(JsonPath::parse(std::string_view(output).substr(kJsonPath.size())));
        return {};
    }
    return Error{Code::kBadRequest, "unable to match a printer suitable for the output format \"" + output +
                                        "\", allowed formats are: json,jsonpath=,name,wide,yaml"};
}

class Get {
public:
    Get(const GetOptions& options, Session& session) : options_(options), session_(session) {}

    int run() {
        if (Result<void> known = check_output(options_.output); !known.ok()) return tell(session_, known.error());
        Result<Selection> selection = select_objects(session_, options_.selection);
        if (!selection.ok()) return tell(session_, selection.error());
        const std::vector<Selected>& targets = selection->targets;
        if (options_.watch) {
            if (targets.size() != 1)
                return tell(session_, {Code::kBadRequest, "you may only specify a single resource type with --watch"});
            return watch(targets[0]);
        }
        return is_table(options_) ? print_tables(*selection) : print_objects(*selection);
    }

private:
    TableStyle style(const Selection& selection, const Resource& resource) const {
        TableStyle style{.wide = options_.output == "wide",
                         .headers = options_.headers,
                         .with_namespace = options_.selection.all_namespaces && resource.namespaced,
                         .show_labels = options_.show_labels};
        if (selection.named_types_mixed) style.name_prefix = resource.object_name("");
        return style;
    }

    bool tolerated(const Error& error) const { return options_.ignore_not_found && error.code == Code::kNotFound; }

    // Adds the target's table, of all its parts. Gives the version of the list.
    Result<std::string> fetch_table(const Selected& target, const SelectionOptions& selection, TableText& text) {
        std::string next;
        std::string version;
        do {
            std::string path = target.resource->path(target.namespace_, target.name);
            if (target.name.empty()) {
                std::vector<std::string> more{"limit=500"};
                if (!next.empty()) more.push_back("continue=" + client::escape_query(next));
                path += selection_query(selection, std::move(more));
            }
            TRY_ASSIGN(const json::value table, call(session_, {.target = path, .accept = kTableAccept}));
            text.add(table);
            version = text_at(table, "/metadata/resourceVersion");
            next = text_at(table, "/metadata/continue");
        } while (!next.empty());
        return version;
    }

    int print_tables(const Selection& selection) {
        int exit_code = kExitDone;
        bool printed = false;
        // Objects of one type stand in one table, also when they were named one by one.
        for (std::size_t i = 0; i < selection.targets.size();) {
            const Resource& resource = *selection.targets[i].resource;
            TableText text(style(selection, resource));
            for (; i < selection.targets.size() && selection.targets[i].resource == &resource; ++i) {
                const Result<std::string> fetched = fetch_table(selection.targets[i], options_.selection, text);
                if (!fetched.ok() && !tolerated(fetched.error())) exit_code = tell(session_, fetched.error());
            }
            if (text.empty()) continue;
            if (printed) session_.terminal.out << '\n';
            session_.terminal.out << text.take_lines();
            printed = true;
        }
        if (!printed && exit_code == kExitDone && !options_.ignore_not_found) tell_nothing(selection);
        return exit_code;
    }

    void tell_nothing(const Selection& selection) {
        session_.terminal.err << "No resources found";
        if (!selection.targets.empty() && !selection.targets[0].namespace_.empty())
            session_.terminal.err << " in " << selection.targets[0].namespace_ << " namespace.";
        session_.terminal.err << '\n';
    }

    int print_objects(const Selection& selection) {
        int exit_code = kExitDone;
        json::array objects;
        for (const Selected& target : selection.targets) {
            const Result<void> fetched = each_object(
                session_, options_.selection, target, [&](const Resource& resource, const json::value& object) {
                    if (options_.output == "name") {
                        session_.terminal.out << resource.object_name(text_at(object, "/metadata/name")) << '\n';
                    } else {
                        objects.push_back(object);
                    }
                });
            if (!fetched.ok() && !tolerated(fetched.error())) exit_code = tell(session_, fetched.error());
        }
        if (options_.output == "name") return exit_code;
        const bool single = selection.targets.size() == 1 && !selection.targets[0].name.empty();
        if (single && objects.empty()) return exit_code;
        print_document(single ? objects[0] : json::value(as_list(std::move(objects))));
        return exit_code;
    }

    static json::object as_list(json::array objects) {
        return {{"apiVersion", "v1"},
                {"items", std::move(objects)},
                {"kind", "List"},
                {"metadata", json::object{{"resourceVersion", ""}}}};
    }

    void print_document(const json::value& document) {
        if (options_.output == "json") {
            session_.terminal.out << format_json(document);
        } else if (options_.output == "yaml") {
            session_.terminal.out << format_yaml(document);
        } else {
            const Result<JsonPath> path = JsonPath::parse(std::string_view(options_.output).substr(kJsonPath.size()));
            session_.terminal.out << path->format(document);
        }
        session_.terminal.out.flush();
    }

    int watch(const Selected& target) {
        TableStyle watch_style{.wide = options_.output == "wide",
                               .headers = options_.headers,
                               .with_namespace = options_.selection.all_namespaces && target.resource->namespaced,
                               .show_labels = options_.show_labels};
        TableText text(std::move(watch_style));
        SelectionOptions selection = options_.selection;
        if (!target.name.empty()) {
            selection.field_selector = "metadata.name=" + target.name;
            const Result<json::value> there =
                call(session_, {.target = target.resource->path(target.namespace_, target.name)});
            if (!there.ok()) return tell(session_, there.error());
        }
        while (true) {
            Result<std::string> version = first_state(target, selection, text);
            if (!version.ok()) return tell(session_, version.error());
            const Error end = watch_from(target, selection, *std::move(version), text);
            // What happened since is no longer known: it is looked at afresh.
            if (end.code != Code::kExpired) return tell(session_, end);
        }
    }

    // Shows what changes from that version on, for as long as the server knows. Gives why it could not go on.
    Error watch_from(const Selected& target, const SelectionOptions& selection, std::string at, TableText& text) {
        const std::string path = target.resource->path(target.namespace_);
        while (true) {
            const Request request{.target = path + selection_query(selection, {"watch=true", "allowWatchBookmarks=true",
                                                                               "resourceVersion=" + at}),
                                  .accept = is_table(options_) ? kTableAccept : "application/json"};
            std::optional<Error> failure;
            const auto on_line = [&](std::string_view line) {
                return on_event(*target.resource, line, text, at, failure);
            };
            const Result<Response> response = session_.connection.stream(request, on_line);
            if (!response.ok()) return response.error();
            if (failure) return *failure;
            if (response->status != 200) return status_error(response->status, response->body);
        }
    }

    // Prints what there is, and gives the version to go on from. That is the list's, also of one object: its own may be
    // older than what the server remembers.
    Result<std::string> first_state(const Selected& target, const SelectionOptions& selection, TableText& text) {
        if (is_table(options_)) {
            TableText unseen({});
            const Selected collection{target.resource, target.namespace_, ""};
            TRY_ASSIGN(std::string version, fetch_table(collection, selection, options_.watch_only ? unseen : text));
            session_.terminal.out << text.take_lines() << std::flush;
            return version;
        }
        TRY_ASSIGN(const json::value list,
                   call(session_, {.target = target.resource->path(target.namespace_) + selection_query(selection)}));
        if (const json::value* items = find_at(list, "/items"); items && items->is_array() && !options_.watch_only)
            for (const json::value& item : items->as_array()) print_item(*target.resource, item);
        return text_at(list, "/metadata/resourceVersion");
    }

    // Items of a list do not say what they are; alone they must.
    void print_item(const Resource& resource, const json::value& item) {
        json::object object = item.as_object();
        object["apiVersion"] = resource.api_version();
        object["kind"] = resource.kind;
        print_changed(resource, object);
    }

    void print_changed(const Resource& resource, const json::value& object) {
        if (options_.output == "name") {
            session_.terminal.out << resource.object_name(text_at(object, "/metadata/name")) << '\n' << std::flush;
            return;
        }
        if (options_.output == "yaml") session_.terminal.out << "---\n";
        print_document(object);
    }

    bool on_event(const Resource& resource, std::string_view line, TableText& text, std::string& at,
                  std::optional<Error>& failure) {
        const Result<json::value> event = parse_answer(line);
        if (!event.ok()) {
            failure = event.error();
            return false;
        }
        const json::value* object = find_at(*event, "/object");
        const std::string type = text_at(*event, "/type");
        if (!object) return true;
        if (type == "ERROR") {
            const std::string code = text_at(*object, "/code");
            failure = status_error(code == "410" ? 410 : 500, format_json(*object));
            return false;
        }
        const std::string version = text_at(*object, "/metadata/resourceVersion");
        if (!version.empty()) at = version;
        if (type == "BOOKMARK") return true;
        if (is_table(options_)) {
            text.add(*object);
            session_.terminal.out << text.take_lines() << std::flush;
        } else {
            print_changed(resource, *object);
        }
        return session_.terminal.out.good();
    }

    const GetOptions& options_;
    Session& session_;
};

}  // namespace

int run_get(const GetOptions& options, Session& session) { return Get(options, session).run(); }

}  // namespace muster::cli
