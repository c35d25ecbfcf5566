// The part of kubectl's JSONPath that people use to pick a value: {.status.conditions[?(@.type=="Ready")].status},
// {.items[*].metadata.name}, {.metadata.labels['app.kubernetes.io/name']}, {.metadata.labels.a\.b}.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cli {

class JsonPath {
public:
    // Text outside braces stands for itself; a path without braces is taken as if it had them. Fails with kBadRequest.
    static Result<JsonPath> parse(std::string_view text);

    // The values that the first path selects.
    std::vector<const boost::json::value*> find(const boost::json::value& document) const;
    // The whole template, the values of a path separated by spaces.
    std::string format(const boost::json::value& document) const;

private:
    struct Step {
        enum class Kind { kMember, kIndex, kAll, kFilter, kRecursive } kind = Kind::kMember;
        std::string name{};               // kMember, kRecursive
        std::ptrdiff_t index = 0;         // kIndex; negative from the end
        std::vector<std::string> left{};  // kFilter: the members to go through
        std::string op{};                 //          "" exists, ==, !=
        std::string right{};              //
    };
    using Path = std::vector<Step>;
    struct Part {
        std::string text{};
        Path path{};
        bool is_path = false;
    };

    static Result<Path> parse_path(std::string_view text);
    static Result<Step> parse_bracket(std::string_view inside);
    static void walk(const Path& path, std::size_t at, const boost::json::value& value,
                     std::vector<const boost::json::value*>& out);
    static bool passes(const Step& filter, const boost::json::value& item);
    static void collect_named(std::string_view name, const boost::json::value& value,
                              std::vector<const boost::json::value*>& out);

    std::vector<Part> parts_;
};

}  // namespace muster::cli
