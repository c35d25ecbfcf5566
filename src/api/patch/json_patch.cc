#include "api/patch/json_patch.h"

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/patch/json_dom.h"
#include "api/patch/json_pointer.h"

namespace muster::api {
namespace {

namespace json = boost::json;
using Pointer = std::vector<std::string>;

// What all operations together may spend on walking trees and shifting array elements: a second at worst, where an
// honest patch needs milliseconds. Without it, ten thousand insertions at the front of a long array take minutes.
constexpr std::size_t kWorkMax = 32u << 20;
constexpr std::size_t kShiftsPerWork = 8;

Error invalid(std::string message) { return {Code::kInvalid, std::move(message)}; }

struct Operation {
    std::string_view name;
    std::string_view path;
    std::string_view from;
    bool has_path = false;
    bool has_from = false;
    const json::value* value = nullptr;
};

Result<std::string_view> text_member(const json::object& object, std::string_view name, bool* present) {
    const json::value* member = object.if_contains(name);
    *present = member && !member->is_null();
    if (!*present) return std::string_view();
    if (member->is_string()) return std::string_view(member->get_string());
    return Error{Code::kBadRequest, "error decoding patch: " + std::string(name) + " must be a string, not " +
                                        std::string(dom_kind_name(*member))};
}

Result<Operation> parse_operation(const json::value& item) {
    if (!item.is_object())
        return Error{Code::kBadRequest,
                     "error decoding patch: an operation must be an object, not " + std::string(dom_kind_name(item))};
    static const json::value kNull;
    Operation operation;
    bool named = false;
    TRY_ASSIGN(operation.name, text_member(item.get_object(), "op", &named));
    TRY_ASSIGN(operation.path, text_member(item.get_object(), "path", &operation.has_path));
    TRY_ASSIGN(operation.from, text_member(item.get_object(), "from", &operation.has_from));
    const json::value* value = item.get_object().if_contains("value");
    operation.value = value ? value : &kNull;
    return operation;
}

class JsonPatchRun {
public:
    JsonPatchRun(json::value& document, const PatchLimits& limits) : document_(document), limits_(limits) {}

    Result<void> apply(const Operation& operation) {
        if (!operation.has_path) return refuse(operation, "it has no path");
        const auto path = parse_pointer(operation.path);
        if (!path) return refuse(operation, "its path does not start with a slash");
        if (operation.name == "add") return add(operation, *path, *operation.value);
        if (operation.name == "remove") return remove(operation, *path);
        if (operation.name == "replace") return replace(operation, *path);
        if (operation.name == "test") return test(operation, *path);
        if (operation.name != "move" && operation.name != "copy")
            return refuse(operation, "there is no such operation");

        const auto from = operation.has_from ? parse_pointer(operation.from) : std::nullopt;
        if (!from || from->empty()) return refuse(operation, "it has no usable from");
        return operation.name == "move" ? move(operation, *from, *path) : copy(operation, *from, *path);
    }

private:
    static Error refuse(const Operation& operation, std::string_view why) {
        return invalid("JSON patch: " + std::string(operation.name) + " \"" + std::string(operation.path) +
                       "\" does not apply: " + std::string(why));
    }

    // The container that holds, or would hold, what the pointer names; null when it is not there.
    json::value* find_parent(const Pointer& pointer) {
        json::value* at = &document_;
        for (std::size_t i = 0; at && i + 1 < pointer.size(); ++i) at = find_child(*at, pointer[i]);
        return at && at->is_structured() && !pointer.empty() ? at : nullptr;
    }
    json::value* find(const Pointer& pointer) {
        json::value* parent = find_parent(pointer);
        return parent ? find_child(*parent, pointer.back()) : nullptr;
    }

    bool spend(std::size_t work) { return (work_ += work) <= kWorkMax; }
    bool spend_shift(std::size_t elements) { return spend(elements / kShiftsPerWork); }

    // Whether a value that deep may stand where the pointer says.
    Result<void> check_depth(const Operation& operation, const Pointer& path, const json::value& value) {
        if (path.size() > limits_.depth_max) return refuse(operation, "the document would be too deep");
        std::size_t visited = 0;
        const std::size_t room = limits_.depth_max - path.size();
        const std::size_t depth = dom_depth(value, room, &visited);
        if (depth > room) return refuse(operation, "the document would be too deep");
        if (!spend(visited)) return refuse(operation, "the patch takes too long");
        return {};
    }

    Result<void> add(const Operation& operation, const Pointer& path, const json::value& value) {
        TRY(check_depth(operation, path, value));
        return put(operation, path, json::value(value, document_.storage()));
    }

    // The depth has been checked.
    Result<void> put(const Operation& operation, const Pointer& path, json::value value) {
        json::value* parent = find_parent(path);
        if (!parent) return refuse(operation, "the document has no such path");
        if (parent->is_object()) {
            parent->get_object()[path.back()] = std::move(value);
            return {};
        }
        auto& array = parent->get_array();
        const auto index = path.back() == "-" ? array.size() : parse_array_index(path.back(), array.size() + 1);
        if (!index) return refuse(operation, "not an index of that array");
        if (!spend_shift(array.size() - *index)) return refuse(operation, "the patch takes too long");
        array.insert(array.begin() + *index, std::move(value));
        return {};
    }

    Result<void> remove(const Operation& operation, const Pointer& path) { return take(operation, path, nullptr); }

    // Removes what is there, into `taken` when given.
    Result<void> take(const Operation& operation, const Pointer& path, json::value* taken) {
        json::value* parent = find_parent(path);
        json::value* child = parent ? find_child(*parent, path.back()) : nullptr;
        if (!child) return refuse(operation, "the document has no such path");
        if (taken) *taken = std::move(*child);
        if (parent->is_object()) {
            parent->get_object().erase(path.back());
            return {};
        }
        auto& array = parent->get_array();
        const std::size_t index = static_cast<std::size_t>(child - array.data());
        if (!spend_shift(array.size() - index)) return refuse(operation, "the patch takes too long");
        array.erase(array.begin() + index);
        return {};
    }

    Result<void> replace(const Operation& operation, const Pointer& path) {
        TRY(check_depth(operation, path, *operation.value));
        if (path.empty()) {
            if (!operation.value->is_structured()) return refuse(operation, "the value is neither object nor array");
            document_ = *operation.value;
            return {};
        }
        json::value* parent = find_parent(path);
        if (!parent) return refuse(operation, "the document has no such path");
        json::value* child = find_child(*parent, path.back());
        if (child) {
            *child = *operation.value;
        } else if (parent->is_object()) {
            parent->get_object()[path.back()] = *operation.value;
        } else {
            return refuse(operation, "not an index of that array");
        }
        return {};
    }

    Result<void> test(const Operation& operation, const Pointer& path) {
        static const json::value kNull;
        const json::value* found = path.empty() ? &document_ : find(path);
        if (!found) {
            const json::value* parent = find_parent(path);
            if (!parent || !parent->is_object()) return refuse(operation, "the document has no such path");
            found = &kNull;
        }
        if (!dom_equal(*operation.value, *found)) return refuse(operation, "the value is another");
        return {};
    }

    Result<void> move(const Operation& operation, const Pointer& from, const Pointer& path) {
        json::value moved(document_.storage());
        TRY(take(operation, from, &moved));
        // Moved sideways or up, it cannot deepen a document that was within the limit.
        if (path.size() > from.size()) TRY(check_depth(operation, path, moved));
        return put(operation, path, std::move(moved));
    }

    Result<void> copy(const Operation& operation, const Pointer& from, const Pointer& path) {
        const json::value* found = find(from);
        if (!found) return refuse(operation, "the document has nothing at its from");
        copied_bytes_ += format_dom(*found).size();
        if (copied_bytes_ > limits_.copy_bytes_max)
            return refuse(operation, "the copies of this patch would add " + std::to_string(copied_bytes_) +
                                         " bytes, and the limit is " + std::to_string(limits_.copy_bytes_max));
        return add(operation, path, *found);
    }

    json::value& document_;
    const PatchLimits& limits_;
    std::size_t copied_bytes_ = 0;
    std::size_t work_ = 0;
};

}  // namespace

Result<json::value> apply_json_patch(json::value document, const json::value& patch, const PatchLimits& limits) {
    if (!patch.is_array())
        return Error{Code::kBadRequest, "error decoding patch: a JSON patch must be an array of operations, not " +
                                            std::string(dom_kind_name(patch))};
    const auto& items = patch.get_array();
    if (items.size() > limits.operations_max)
        return Error{Code::kTooLarge, "Request entity too large: The allowed maximum operations in a JSON patch is " +
                                          std::to_string(limits.operations_max) + ", got " +
                                          std::to_string(items.size())};
    std::vector<Operation> operations;
    operations.reserve(items.size());
    for (const auto& item : items) {
        TRY_ASSIGN(auto operation, parse_operation(item));
        operations.push_back(operation);
    }
    if (dom_depth(document, limits.depth_max) > limits.depth_max)
        return Error{Code::kTooLarge, "the object is nested too deep to be patched"};
    JsonPatchRun run(document, limits);
    for (const auto& operation : operations) TRY(run.apply(operation));
    return document;
}

}  // namespace muster::api
