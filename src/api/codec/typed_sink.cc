#include "api/codec/typed_sink.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "api/codec/base64.h"
#include "api/schema/residue.h"
#include "api/text/json_text.h"
#include "api/text/utf8.h"
#include "base/check.h"
#include "base/intern.h"

namespace muster::api {
namespace {

std::string_view name_of_type(const ValueInfo& info) {
    switch (info.shape) {
        case Shape::kBool: return "bool";
        case Shape::kInt32: return "int32";
        case Shape::kInt64: return "int64";
        case Shape::kDouble: return "float64";
        case Shape::kText: return "string";
        case Shape::kBytes: return "base64 string";
        case Shape::kRaw: return "any JSON";
        case Shape::kScalar: return info.scalar->expected;
        case Shape::kStruct: return info.type().name;
        case Shape::kList: return "array";
        case Shape::kMap: return "object";
        case Shape::kOptional:
        case Shape::kBox: return name_of_type(*info.element);
    }
    return "value";
}

template <class Number>
bool parse_whole(std::string_view text, void* target) {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return false;
    *static_cast<Number*>(target) = value;
    return true;
}

// JSON has no infinity: a number that is too large for a double would be printed as text that cannot be read again.
bool is_finite(std::string_view number) {
    double value = 0;
    return parse_whole<double>(number, &value) && std::isfinite(value);
}

std::string_view name_of_token(JsonToken token) {
    switch (token.kind) {
        case JsonToken::Kind::kString: return "string";
        case JsonToken::Kind::kNumber: return "number";
        case JsonToken::Kind::kTrue:
        case JsonToken::Kind::kFalse: return "bool";
    }
    return "value";
}

}  // namespace

TypedSink::TypedSink(const TypeInfo& type, void* object, const DecodeLimits& limits)
    : limits_(limits), root_type_(type), root_object_(object) {
    root_.shape = Shape::kStruct;
}

Error too_many_elements() { return {Code::kTooLarge, "the document's lists and maps have too many elements"}; }

bool has_room(const ValueInfo& container, std::size_t count, const DecodeLimits& limits) {
    if (container.shape != Shape::kList) return true;
    return count < (container.element->shape == Shape::kStruct ? limits.structs_max : limits.scalars_max);
}

bool TypedSink::enter() {
    if (++nesting_ <= limits_.depth_max) return true;
    error_ = {Code::kTooLarge, "the document is nested deeper than " + std::to_string(limits_.depth_max) + " levels"};
    return false;
}

bool TypedSink::begin_object() { return begin(true); }
bool TypedSink::begin_array() { return begin(false); }
bool TypedSink::end_object() { return end('}'); }
bool TypedSink::end_array() { return end(']'); }

bool TypedSink::begin(bool is_object) {
    if (!enter()) return false;
    if (skip_depth_ != 0) return true;
    if (skip_next_) {
        skip_next_ = false;
        skip_depth_ = nesting_;
        return true;
    }
    if (raw_.info) {
        raw_comma();
        raw_text_ += is_object ? '{' : '[';
        ++raw_depth_;
        return true;
    }
    return open(next_slot(), is_object);
}

bool TypedSink::end(char bracket) {
    --nesting_;
    if (skip_depth_ != 0) {
        if (nesting_ < skip_depth_) skip_depth_ = 0;
        return true;
    }
    if (raw_.info) {
        raw_text_ += bracket;
        return --raw_depth_ != 0 || close_raw();
    }
    Frame& frame = frames_[--depth_];
    return unknown_.size() == frame.unknown_begin || keep_unknown(frame);
}

bool TypedSink::open(Slot slot, bool is_object) {
    if (!slot.info) return false;
    while (slot.info->shape == Shape::kOptional || slot.info->shape == Shape::kBox) {
        slot.target = slot.info->emplace(slot.target);
        slot.info = slot.info->element;
    }
    if (slot.info->shape == Shape::kRaw) {
        raw_ = slot;
        raw_text_ = is_object ? "{" : "[";
        raw_depth_ = 1;
        return true;
    }
    const bool fits = is_object ? slot.info->shape == Shape::kStruct || slot.info->shape == Shape::kMap
                                : slot.info->shape == Shape::kList;
    if (!fits) return refuse(is_object ? "object" : "array", *slot.info);
    if (slot.info->shape == Shape::kList) slot.info->reset(slot.target);
    if (slot.info->make_present) slot.info->make_present(slot.target);
    CHECK(depth_ < kTypedDepthMax, "a declared type nests deeper than the decoder's stack");
    Frame& frame = frames_[depth_++];
    frame = {.info = slot.info, .object = slot.target, .unknown_begin = static_cast<std::uint32_t>(unknown_.size())};
    frame.refilled = slot.info->shape == Shape::kMap && slot.info->count(slot.target) > 0;
    if (slot.info->shape == Shape::kStruct) frame.type = slot.info == &root_ ? &root_type_ : &slot.info->type();
    return true;
}

bool TypedSink::top_level_meta(std::string_view name) {
    const bool is_version = name == "apiVersion";
    if (!is_version && name != "kind") return false;
    // The two highest bits are theirs: no kind has so many fields.
    const std::uint64_t bit = std::uint64_t{1} << (is_version ? 63 : 62);
    if (frames_[depth_ - 1].seen & bit) complain("duplicate field ", name);
    frames_[depth_ - 1].seen |= bit;
    meta_ = depth_ > 1 ? &raw_text_ : is_version ? &decoded_.api_version : &decoded_.kind;
    return true;
}

bool TypedSink::key(std::string_view name) {
    if (skip_depth_ != 0) return true;
    if (raw_.info) {
        raw_comma();
        append_json_string(name, raw_text_);
        raw_text_ += ':';
        return true;
    }
    Frame& frame = frames_[depth_ - 1];
    if (frame.info->shape == Shape::kMap) {
        map_keys_[depth_ - 1].assign(name);
        bool added = true;
        const std::string repaired = is_utf8(name) ? std::string() : repair_utf8(name);
        frame.value = frame.info->insert(frame.object, repaired.empty() ? name : std::string_view(repaired), &added);
        if (added && !(charge(frame) && charge_moves(frame))) return false;
        if (!added) frame.info->element->reset(frame.value);
        if (!added && !frame.refilled) {
            map_keys_[depth_ - 1].clear();
            complain("duplicate field ", name);
            map_keys_[depth_ - 1].assign(name);
        }
        return true;
    }
    // Most writers print fields in order: try the one after the last first.
    const std::vector<FieldInfo>& fields = frame.type->json_fields;
    const FieldInfo* likely = frame.field ? frame.field + 1 : fields.data();
    frame.field = likely < fields.data() + fields.size() && likely->json == name ? likely : frame.type->find(name);
    if (!frame.field || !frame.field->is_in(limits_.dialect)) {
        frame.field = nullptr;
        if (frame.type->is_kind && top_level_meta(name)) return true;
        if (const FieldInfo* rest = frame.type->rest()) return keep(name, *rest);
        unknown_key(frame, name);
        return true;
    }
    const std::uint64_t bit = std::uint64_t{1} << frame.field->json_index;
    if (frame.seen & bit) {
        frame.field = nullptr;
        map_keys_[depth_ - 1].clear();
        complain("duplicate field ", name);
        frame.field = frame.type->find(name);
    }
    frame.seen |= bit;
    return true;
}

// A member without a field of its own.
bool TypedSink::keep(std::string_view name, const FieldInfo& rest) {
    Frame& frame = frames_[depth_ - 1];
    Frame members{.info = rest.value, .object = static_cast<char*>(frame.object) + rest.offset};
    const std::string text = is_utf8(name) ? std::string(name) : repair_utf8(name);
    bool added = true;
    members.value = frame.value = rest.value->insert(members.object, text, &added);
    map_keys_[depth_ - 1].clear();
    if (added && !(charge(members) && charge_moves(members))) return false;
    if (!added) complain("duplicate field ", name);
    map_keys_[depth_ - 1] = text;
    return true;
}

bool TypedSink::charge(const Frame& frame) {
    if (has_room(*frame.info, frame.info->count(frame.object), limits_))
        return charge_bytes(frame.info->element->size + sizeof(Text));
    error_ = too_many_elements();
    return false;
}

bool TypedSink::charge_bytes(std::size_t bytes) {
    elements_bytes_ += bytes;
    if (elements_bytes_ <= limits_.elements_bytes_max) return true;
    error_ = too_many_elements();
    return false;
}

bool TypedSink::charge_moves(const Frame& frame) {
    const std::size_t count = frame.info->count(frame.object);
    if (frame.info->at(frame.object, count - 1) == frame.value) return true;
    entry_moves_ += count;
    if (entry_moves_ <= limits_.entry_moves_max) return true;
    error_ = too_many_elements();
    return false;
}

void TypedSink::complain_duplicate(std::string_view name) { complain("duplicate field ", name); }

TypedSink::Slot TypedSink::next_slot() {
    if (depth_ == 0) {
        CHECK(!root_taken_, "a document has one root");
        root_taken_ = true;
        return {&root_, root_object_};
    }
    Frame& frame = frames_[depth_ - 1];
    switch (frame.info->shape) {
        case Shape::kStruct:
            if (meta_) {  // apiVersion: {…}
                error_ = {Code::kBadRequest,
                          "cannot unmarshal an object or array into apiVersion or kind, which are strings"};
                return {};
            }
            if (frame.value) return {frame.type->rest()->value->element, std::exchange(frame.value, nullptr)};
            return {frame.field->value, static_cast<char*>(frame.object) + frame.field->offset};
        case Shape::kMap: return {frame.info->element, frame.value};
        default:
            if (!charge(frame)) return {};
            return {frame.info->element, frame.info->append(frame.object)};
    }
}

bool TypedSink::string(std::string_view text) { return scalar({JsonToken::Kind::kString, text}); }
bool TypedSink::number(std::string_view text) { return scalar({JsonToken::Kind::kNumber, text}); }
bool TypedSink::boolean(bool value) {
    return scalar({value ? JsonToken::Kind::kTrue : JsonToken::Kind::kFalse, value ? "true" : "false"});
}

bool TypedSink::scalar(JsonToken token) {
    if (skip_depth_ != 0) return true;
    if (skip_next_) {
        skip_next_ = false;
        return true;
    }
    if (raw_.info) return capture_raw_token(token);
    if (meta_) {
        if (token.kind != JsonToken::Kind::kString) {
            error_ = {Code::kBadRequest, "cannot unmarshal " + std::string(name_of_token(token)) +
                                             " into apiVersion or kind, which are strings"};
            return false;
        }
        meta_->assign(token.text);
        meta_ = nullptr;
        return true;
    }
    Slot slot = next_slot();
    if (!slot.info) return false;
    if (slot.info == &root_) return refuse(name_of_token(token), root_);
    while (slot.info->shape == Shape::kOptional || slot.info->shape == Shape::kBox) {
        slot.target = slot.info->emplace(slot.target);
        slot.info = slot.info->element;
    }
    return store(slot, token);
}

bool TypedSink::store(Slot slot, JsonToken token) {
    const bool is_string = token.kind == JsonToken::Kind::kString;
    const bool is_number = token.kind == JsonToken::Kind::kNumber;
    bool stored = false;
    switch (slot.info->shape) {
        case Shape::kBool:
            stored = !is_string && !is_number;
            if (stored) *static_cast<bool*>(slot.target) = token.kind == JsonToken::Kind::kTrue;
            break;
        case Shape::kInt32: stored = is_number && parse_whole<std::int32_t>(token.text, slot.target); break;
        case Shape::kInt64: stored = is_number && parse_whole<std::int64_t>(token.text, slot.target); break;
        case Shape::kDouble:
            stored = is_number && is_finite(token.text) && parse_whole<double>(token.text, slot.target);
            break;
        case Shape::kText:
            stored = is_string;
            if (stored)
                *static_cast<Text*>(slot.target) =
                    is_utf8(token.text) ? intern(token.text) : Text(repair_utf8(token.text));
            break;
        case Shape::kBytes: {
            if (!is_string) break;
            std::string bytes;
            if (!decode_base64(token.text, bytes)) {
                error_ = {Code::kBadRequest, "illegal base64 data in field " + path()};
                return false;
            }
            static_cast<Bytes*>(slot.target)->bytes = Text(bytes);
            return true;
        }
        case Shape::kRaw:
            raw_text_.clear();
            raw_ = slot;
            raw_depth_ = 0;
            return capture_raw_token(token);
        case Shape::kScalar: {
            std::string why;
            stored = slot.info->scalar->from_json(slot.target, token, why);
            if (!stored && !why.empty()) {
                error_ = {Code::kBadRequest, why + " (field " + path() + ")"};
                return false;
            }
            break;
        }
        default: break;
    }
    if (stored) return true;
    std::string got(name_of_token(token));
    constexpr std::size_t kShownMax = 40;
    // A number in place of text may be a secret without its quotes.
    const bool shown = is_number && slot.info->shape != Shape::kText && slot.info->shape != Shape::kBytes;
    if (shown) got.append(" ").append(token.text.substr(0, kShownMax));
    if (shown && token.text.size() > kShownMax) got += "...";
    return refuse(got, *slot.info);
}

bool TypedSink::null() {
    if (skip_depth_ != 0) return true;
    if (skip_next_) {
        skip_next_ = false;
        return true;
    }
    if (raw_.info) return capture_raw("null", false);
    if (meta_) {
        meta_ = nullptr;
        return true;
    }
    const Slot slot = next_slot();
    if (!slot.info) return false;
    if (slot.info == &root_) return refuse("null", root_);
    if (slot.info->shape != Shape::kStruct) slot.info->reset(slot.target);
    return true;
}

bool TypedSink::refuse(std::string_view got, const ValueInfo& wanted) {
    if (&wanted == &root_) {
        error_ = {Code::kBadRequest, "cannot unmarshal " + std::string(got) + " into a " + root_type_.name +
                                         ": the document must be an object"};
        return false;
    }
    error_ = {Code::kBadRequest, "cannot unmarshal " + std::string(got) + " into field " + path() + " of type " +
                                     std::string(name_of_type(wanted))};
    return false;
}

bool TypedSink::complain(std::string_view what, std::string_view name) {
    if (++complaints_ > limits_.complaints_max) return true;
    std::string where = path();
    if (!where.empty()) where += '.';
    decoded_.complaints.push_back(std::string(what) + '"' + where + std::string(name) + '"');
    return true;
}

std::string TypedSink::path() const {
    std::string path;
    for (std::size_t i = 0; i < depth_; ++i) {
        const Frame& frame = frames_[i];
        if (frame.info->shape == Shape::kList) {
            path += '[' + std::to_string(frame.info->count(frame.object) - 1) + ']';
            continue;
        }
        const bool by_name = frame.info->shape == Shape::kMap || (!frame.field && frame.type->rest());
        const std::string_view name = by_name       ? std::string_view(map_keys_[i])
                                      : frame.field ? std::string_view(frame.field->json)
                                                    : std::string_view();
        if (name.empty()) continue;
        if (!path.empty()) path += '.';
        path += name;
    }
    return path;
}

void TypedSink::raw_comma() {
    const char last = raw_text_.empty() ? '{' : raw_text_.back();
    if (last != '{' && last != '[' && last != ':') raw_text_ += ',';
}

bool TypedSink::capture_raw(std::string_view text, bool quoted) {
    raw_comma();
    if (quoted) {
        append_json_string(text, raw_text_);
    } else {
        raw_text_ += text;
    }
    return raw_depth_ != 0 || close_raw();
}

bool TypedSink::capture_raw_token(JsonToken token) {
    if (token.kind == JsonToken::Kind::kNumber && !is_finite(token.text)) {
        error_ = {Code::kBadRequest, "a number in field " + path() + " is out of range"};
        return false;
    }
    return capture_raw(token.text, token.kind == JsonToken::Kind::kString);
}

bool TypedSink::close_raw() {
    const Slot raw = std::exchange(raw_, {});
    if (!is_utf8(raw_text_)) raw_text_ = repair_utf8(raw_text_);
    if (raw.target) {
        static_cast<RawJson*>(raw.target)->json = Text(raw_text_);
        return true;
    }
    unknown_ += raw_text_;
    return charge_bytes(raw_text_.size());
}

void TypedSink::unknown_key(Frame& frame, std::string_view name) {
    if (!limits_.keep_unknown) {
        if (!frame.type->is_gated(name)) complain("unknown field ", name);
        skip_next_ = true;
        return;
    }
    raw_text_ = ',';
    append_json_string(name, raw_text_);
    raw_text_ += ':';
    raw_ = {&value_info<RawJson>(), nullptr};
    raw_depth_ = 0;
}

bool TypedSink::keep_unknown(Frame& frame) {
    Residue& residue = residue_of(frame.object);
    const std::size_t copied = residue.json().size();  // when the struct comes a second time
    residue.add(std::string_view(unknown_).substr(frame.unknown_begin));
    unknown_.resize(frame.unknown_begin);
    return charge_bytes(copied);
}

}  // namespace muster::api
