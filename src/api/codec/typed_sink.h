// Receives a document as events and builds a typed object from them. One sink for JSON text, YAML and patched
// documents. Nothing recurses: typed nesting is bounded by the declarations, and unknown or raw parts are only counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/decode.h"
#include "api/schema/type_info.h"

namespace muster::api {

// Of a document whose lists and maps have more than DecodeLimits allows.
Error too_many_elements();
// Whether a list that has `count` elements may have one more. Maps may: there is no pair of keys to check.
bool has_room(const ValueInfo& container, std::size_t count, const DecodeLimits& limits);

// How deep the declared types nest at most; only unknown and raw parts go deeper.
inline constexpr std::size_t kTypedDepthMax = 64;

class TypedSink {
public:
    TypedSink(const TypeInfo& type, void* object, const DecodeLimits& limits);

    // Each gives false when the document is refused; `error()` says why. Nothing may follow then.
    bool begin_object();
    bool key(std::string_view name);
    bool end_object();
    bool begin_array();
    bool end_array();
    bool string(std::string_view text);
    bool number(std::string_view text);
    bool boolean(bool value);
    bool null();

    const Error& error() const { return error_; }
    // A duplicate that the source itself noticed, at the place the sink has reached.
    void complain_duplicate(std::string_view name);
    Decoded take() { return std::move(decoded_); }

private:
    struct Frame {
        const ValueInfo* info = nullptr;
        const TypeInfo* type = nullptr;  // structs
        void* object = nullptr;
        std::uint64_t seen = 0;            // structs: json_index bits
        const FieldInfo* field = nullptr;  // structs: the field whose value comes next
        void* value = nullptr;             // where the value of the last key goes: of maps, of members of the rest
        std::uint32_t unknown_begin = 0;   // structs: where their part of unknown_ begins
        bool refilled = false;             // maps: filled before by the same field, which was complained about
    };
    struct Slot {
        const ValueInfo* info = nullptr;
        void* target = nullptr;
    };

    bool enter();                // one level deeper
    bool begin(bool is_object);  // an object or an array, wherever it stands
    bool end(char bracket);      // the same, its closing bracket given
    bool open(Slot slot, bool is_object);
    Slot next_slot();  // where the coming value goes
    bool scalar(JsonToken token);
    bool store(Slot slot, JsonToken token);
    bool keep(std::string_view name, const FieldInfo& rest);
    bool charge(const Frame& frame);        // for one more element of a list or map
    bool charge_moves(const Frame& frame);  // for the entry that the last key made
    bool charge_bytes(std::size_t bytes);
    bool refuse(std::string_view got, const ValueInfo& wanted);
    bool complain(std::string_view what, std::string_view name);
    std::string path() const;
    void raw_comma();
    bool capture_raw(std::string_view text, bool quoted);
    bool capture_raw_token(JsonToken token);
    bool close_raw();
    void unknown_key(Frame& frame, std::string_view name);
    bool keep_unknown(Frame& frame);  // all of a struct, at its end
    bool top_level_meta(std::string_view name);

    const DecodeLimits& limits_;
    Decoded decoded_;
    std::size_t complaints_ = 0;
    std::size_t elements_bytes_ = 0;
    std::size_t entry_moves_ = 0;
    Error error_;

    ValueInfo root_;
    const TypeInfo& root_type_;
    void* root_object_;
    bool root_taken_ = false;
    std::array<Frame, kTypedDepthMax> frames_;
    std::array<std::string, kTypedDepthMax> map_keys_;  // beside the frames: only errors read them
    std::size_t depth_ = 0;                             // frames in use
    std::size_t nesting_ = 0;                           // of the whole document

    std::size_t skip_depth_ = 0;   // nesting at which skipping ends; 0 when not skipping
    bool skip_next_ = false;       // the coming value belongs to an unknown field
    std::string* meta_ = nullptr;  // the coming value is apiVersion or kind

    Slot raw_;  // a RawJson being captured; without a target, the value of an unknown field that is kept
    std::size_t raw_depth_ = 0;
    std::string raw_text_;
    std::string unknown_;  // kept fields of the structs that are open, the innermost last
};

}  // namespace muster::api
