#include "api/codec/duplicates.h"

#include <boost/json/basic_parser_impl.hpp>
#include <unordered_set>

namespace muster::api {
namespace {

namespace json = boost::json;

// Boost's handler interface; only keys matter, and where they stand.
struct KeyHandler {
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    struct Level {
        bool is_array = false;
        std::size_t index = 0;  // of the element that comes next
        std::string key{};      // whose value comes next
        std::unordered_set<std::string> seen{};
    };
    std::size_t found_max;
    std::vector<std::string> found{};
    std::vector<Level> levels{};
    std::string parts{};

    std::string path() const {
        std::string text;
        for (const Level& level : levels) {
            if (level.is_array) {
                text.append("[").append(std::to_string(level.index)).append("]");
            } else {
                text.append(text.empty() ? "" : ".").append(level.key);
            }
        }
        return text;
    }
    // A value has ended.
    bool next() {
        if (!levels.empty()) ++levels.back().index;
        return true;
    }
    bool begin(bool is_array) {
        levels.push_back({.is_array = is_array});
        return true;
    }
    bool end() {
        levels.pop_back();
        return next();
    }

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code&) { return begin(false); }
    bool on_object_end(std::size_t, json::error_code&) { return end(); }
    bool on_array_begin(json::error_code&) { return begin(true); }
    bool on_array_end(std::size_t, json::error_code&) { return end(); }
    bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
        parts.append(part.data(), part.size());
        return true;
    }
    bool on_key(json::string_view last, std::size_t, json::error_code&) {
        parts.append(last.data(), last.size());
        Level& level = levels.back();
        level.key = parts;
        parts.clear();
        if (!level.seen.insert(level.key).second && found.size() < found_max) found.push_back(path());
        return true;
    }
    bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
    bool on_string(json::string_view, std::size_t, json::error_code&) { return next(); }
    bool on_number_part(json::string_view, json::error_code&) { return true; }
    bool on_int64(std::int64_t, json::string_view, json::error_code&) { return next(); }
    bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return next(); }
    bool on_double(double, json::string_view, json::error_code&) { return next(); }
    bool on_bool(bool, json::error_code&) { return next(); }
    bool on_null(json::error_code&) { return next(); }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }
};

}  // namespace

std::vector<std::string> find_duplicates(std::string_view text, const DecodeLimits& limits) {
    json::parse_options options;
    options.max_depth = limits.depth_max;
    json::basic_parser<KeyHandler> parser(options, KeyHandler{limits.complaints_max});
    json::error_code code;
    parser.write_some(false, text.data(), text.size(), code);
    return std::move(parser.handler().found);
}

}  // namespace muster::api
