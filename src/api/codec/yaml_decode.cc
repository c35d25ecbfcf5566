// YAML text to a tree. Aliases are copied in place of what they name, under a budget: a bomb of aliases stops at the
// limit, whatever it would have grown to.
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <set>
#include <sstream>

#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/typed_sink.h"
#include "api/codec/yaml_outline.h"
#include "api/codec/yaml_scalar.h"
#include "api/text/json_text.h"
#include "api/text/utf8.h"

namespace muster::api {
namespace {

namespace json = boost::json;

// Leaves yaml-cpp's parser, which knows no other way to be stopped. Caught in parse_yaml.
struct Stop {
    Error error;
};

// How much memory a tree takes, near enough to be bounded.
struct YamlSize {
    std::size_t nodes = 0;
    std::size_t text = 0;

    YamlSize& operator+=(const YamlSize& other) {
        nodes += other.nodes;
        text += other.text;
        return *this;
    }
};

YamlSize yaml_size_of(const json::value& value) {
    YamlSize size{1, value.is_string() ? value.get_string().size() : 0};
    if (const json::array* array = value.if_array())
        for (const json::value& item : *array) size += yaml_size_of(item);
    if (const json::object* object = value.if_object())
        for (const auto& member : *object) {
            size.text += member.key().size();
            size += yaml_size_of(member.value());
        }
    return size;
}

class TreeBuilder final : public YAML::EventHandler {
public:
    TreeBuilder(const DecodeLimits& limits, std::vector<std::string>& duplicates)
        : limits_(limits), duplicates_(duplicates) {}

    json::value take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { place(mark, anchor, nullptr); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) stop(mark, "an alias names a node that contains it");
        charge(found->second.size);
        put(mark, found->second.value);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        const std::string valid = is_utf8(text) ? text : repair_utf8(text);
        if (tag.empty() || tag == "?") return place(mark, anchor, resolve_plain_scalar(valid), valid == "<<");
        if (tag == "!") return place(mark, anchor, json::string(valid));
        Result<json::value> value = resolve_tagged_scalar(tag, valid);
        if (!value.ok()) throw Stop{value.error()};
        place(mark, anchor, *std::move(value));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, anchor, json::array());
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, anchor, json::object());
    }
    void OnMapEnd() override { close(); }

private:
    struct Anchored {
        json::value value;
        YamlSize size;
    };
    struct Open {
        json::value value;
        YAML::anchor_t anchor;
        YAML::Mark mark;
        std::string key{};
        bool has_key = false;
        bool merges = false;                            // the key is <<
        std::set<std::string, std::less<>> own_keys{};  // merged ones may be overridden silently
    };

    [[noreturn]] static void stop(const YAML::Mark& mark, const std::string& why) {
        throw Stop{{Code::kBadRequest, "yaml: line " + std::to_string(mark.line + 1) + ": " + why}};
    }

    void open(const YAML::Mark& mark, YAML::anchor_t anchor, json::value empty) {
        if (stack_.size() >= limits_.depth_max)
            throw Stop{{Code::kTooLarge,
                        "the document is nested deeper than " + std::to_string(limits_.depth_max) + " levels"}};
        if (!stack_.empty() && stack_.back().value.is_object() && !stack_.back().has_key)
            stop(mark, "a map key must be a scalar");
        stack_.push_back({std::move(empty), anchor, mark});
    }
    void close() {
        Open done = std::move(stack_.back());
        stack_.pop_back();
        charge({1, 0});
        if (done.anchor) keep(done.anchor, done.value);
        put(done.mark, std::move(done.value));
    }

    // Before anything is copied: what a document would grow to does not matter then.
    void charge(const YamlSize& size) {
        used_ += size;
        if (used_.nodes > limits_.yaml_nodes_max || used_.text > limits_.yaml_text_max)
            throw Stop{{Code::kTooLarge, "yaml: document contains excessive aliasing, more than " +
                                             std::to_string(limits_.yaml_nodes_max) + " nodes or more than " +
                                             std::to_string(limits_.yaml_text_max) + " bytes of text"}};
    }
    void keep(YAML::anchor_t anchor, const json::value& value) {
        const YamlSize size = yaml_size_of(value);
        charge(size);
        anchors_[anchor] = {value, size};
    }

    void place(const YAML::Mark& mark, YAML::anchor_t anchor, json::value value, bool is_merge_key = false) {
        charge(yaml_size_of(value));
        if (anchor) keep(anchor, value);
        put(mark, std::move(value), is_merge_key);
    }

    void put(const YAML::Mark& mark, json::value value, bool is_merge_key = false) {
        if (stack_.empty()) {
            root_ = std::move(value);
            return;
        }
        Open& top = stack_.back();
        if (json::array* array = top.value.if_array()) {
            array->push_back(std::move(value));
        } else if (!top.has_key) {
            top.key = key_text(mark, value);
            top.has_key = true;
            top.merges = is_merge_key;
        } else {
            top.has_key = false;
            if (top.merges) return merge(mark, top, value);
            if (!top.own_keys.insert(top.key).second && duplicates_.size() < limits_.complaints_max)
                duplicates_.push_back((path() + top.key).substr(0, kPathMax));
            top.value.get_object().insert_or_assign(top.key, std::move(value));
        }
    }

    static std::string key_text(const YAML::Mark& mark, const json::value& key) {
        if (const json::string* text = key.if_string()) return std::string(text->data(), text->size());
        if (key.is_bool()) return key.get_bool() ? "true" : "false";
        std::string text;
        if (key.is_int64()) {
            append_json_number(key.get_int64(), text);
        } else if (key.is_uint64()) {
            text = std::to_string(key.get_uint64());
        } else if (key.is_double()) {
            append_json_number(key.get_double(), text);
        } else {
            stop(mark, "a map key must be a scalar");
        }
        return text;
    }

    static void merge(const YAML::Mark& mark, Open& top, const json::value& from) {
        if (const json::array* list = from.if_array()) {
            for (const json::value& item : *list) merge(mark, top, item);
            return;
        }
        if (!from.is_object()) stop(mark, "map merge requires map or sequence of maps as the value");
        for (const auto& member : from.get_object()) top.value.get_object().insert(member);
    }

    // Where the sink would say the innermost open node is, with a trailing dot.
    std::string path() const {
        std::string path;
        for (std::size_t i = 0; i + 1 < stack_.size(); ++i) {
            const Open& node = stack_[i];
            if (const json::array* array = node.value.if_array()) {
                if (!path.empty()) path.pop_back();
                path += '[' + std::to_string(array->size()) + "].";
            } else {
                path += node.key + '.';
            }
        }
        return path;
    }

    static constexpr std::size_t kPathMax = 1000;

    const DecodeLimits& limits_;
    std::vector<std::string>& duplicates_;
    YamlSize used_;
    json::value root_;
    std::vector<Open> stack_;
    std::map<YAML::anchor_t, Anchored> anchors_;
};

// Before anything is read: see yaml_outline.h.
Result<> check_outline(std::string_view text, const DecodeLimits& limits) {
    const YamlOutline outline = outline_yaml(text, limits.yaml_nodes_max, limits.depth_max);
    if (outline.depth > limits.depth_max)
        return Error{Code::kTooLarge,
                     "the document is nested deeper than " + std::to_string(limits.depth_max) + " levels"};
    if (outline.entries > limits.yaml_nodes_max)
        return Error{Code::kTooLarge,
                     "yaml: the document has more than " + std::to_string(limits.yaml_nodes_max) + " nodes"};
    return {};
}

}  // namespace

Result<json::value> parse_yaml(std::string_view text, const DecodeLimits& limits,
                               std::vector<std::string>& duplicates) {
    if (text.size() > limits.bytes_max)
        return Error{Code::kTooLarge, "the document is larger than " + std::to_string(limits.bytes_max) + " bytes"};
    TRY(check_outline(text, limits));
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        TreeBuilder builder(limits, duplicates);
        if (!parser.HandleNextDocument(builder)) return Error{Code::kBadRequest, "yaml: the document is empty"};
        json::value document = builder.take();
        TreeBuilder rest(limits, duplicates);
        if (parser.HandleNextDocument(rest))
            return Error{Code::kBadRequest, "yaml: more than one document where one was expected"};
        return document;
    } catch (const Stop& stopped) {
        return stopped.error;
    } catch (const YAML::DeepRecursion&) {
        return Error{Code::kTooLarge, "yaml: the document is nested too deep"};
    } catch (const YAML::Exception& broken) {
        return Error{Code::kBadRequest, "yaml: line " + std::to_string(broken.mark.line + 1) + ": " + broken.msg};
    }
}

Result<Decoded> decode_yaml(const TypeInfo& type, void* object, std::string_view text, const DecodeLimits& limits) {
    std::vector<std::string> duplicates;
    TRY_ASSIGN(const json::value document, parse_yaml(text, limits, duplicates));
    TRY_ASSIGN(Decoded decoded, decode_dom(type, object, document, limits));
    for (const std::string& path : duplicates)
        if (decoded.complaints.size() < limits.complaints_max)
            decoded.complaints.push_back("duplicate field \"" + path + '"');
    return decoded;
}

}  // namespace muster::api
