// What is wrong with an object, field by field, worded as Kubernetes words it. Validation walks an object with a
// FieldPath, adds a cause for each rule that is broken, and goes on; `invalid_object` makes one answer of all of them.
//
//     errors.add_required(path.child("name"), "");
//     errors.add_invalid(path.child("ports").index(i).child("hostPort"), port.host_port, "must be …");
//     errors.add_not_supported(path.child("restartPolicy"), policy, {"Always", "Never", "OnFailure"});
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/encode.h"
#include "api/schema/kind_info.h"
#include "api/selector/names.h"
#include "base/result.h"
#include "base/text.h"

namespace muster::api {

// Where in an object: spec.containers[0].resources.requests[cpu]. Cheap to make and to copy, as most paths are never
// printed; the texts given to it are not copied and must outlive it, which literals and the object's own keys do.
class FieldPath {
public:
    FieldPath() = default;
    explicit FieldPath(std::string_view name) { push({name.data(), static_cast<std::uint32_t>(name.size()), kName}); }
    FieldPath(const FieldPath& other) { *this = other; }
    FieldPath& operator=(const FieldPath& other) {
        count_ = other.count_;
        for (std::uint32_t i = 0; i < count_; ++i) steps_[i] = other.steps_[i];
        return *this;
    }

    template <class... More>
    FieldPath child(std::string_view name, More... more) const {
        FieldPath longer = *this;
        longer.push({name.data(), static_cast<std::uint32_t>(name.size()), kName});
        (longer.push({std::string_view(more).data(), static_cast<std::uint32_t>(std::string_view(more).size()), kName}),
         ...);
        return longer;
    }
    FieldPath index(std::size_t at) const {
        FieldPath longer = *this;
        longer.push({nullptr, static_cast<std::uint32_t>(at), kIndex});
        return longer;
    }
    FieldPath key(std::string_view name) const {
        FieldPath longer = *this;
        longer.push({name.data(), static_cast<std::uint32_t>(name.size()), kKey});
        return longer;
    }
    std::string str() const;

private:
    enum Kind : std::uint32_t { kName, kIndex, kKey };
    struct Step {
        const char* text;
        std::uint32_t number;  // the index, or the length of the text
        Kind kind;
    };
    static constexpr std::size_t kStepMax = 24;

    void push(Step step) {
        CHECK(count_ < kStepMax);
        steps_[count_++] = step;
    }

    std::uint32_t count_ = 0;
    std::array<Step, kStepMax> steps_;
};

// A value as an error shows it: text in quotes, numbers and booleans plain, anything else as ready-made JSON.
class Shown {
public:
    Shown(std::string_view text);                                      // NOLINT(google-explicit-constructor)
    Shown(const std::string& text) : Shown(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
    Shown(const char* text) : Shown(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
    Shown(const Text& text) : Shown(text.view()) {}                    // NOLINT(google-explicit-constructor)
    Shown(bool value) : printed_(value ? "true" : "false") {}          // NOLINT(google-explicit-constructor)
    template <std::integral N>
    Shown(N number) : printed_(std::to_string(number)) {}  // NOLINT(google-explicit-constructor)
    // Printed as it stands.
    static Shown json(std::string text);
    // Not printed at all: the error is its detail.
    static Shown nothing() { return json({}); }

    const std::string& printed() const { return printed_; }

private:
    Shown() = default;
    std::string printed_;
};

// Any declared value as its JSON.
template <class T>
Shown shown_json(const T& value) {
    std::string out;
    append_json_value(value_info<T>(), &value, out);
    return Shown::json(std::move(out));
}

// The mistakes in an object, up to kCausesMax and kBytesMax: an object with millions of mistakes must not cost more
// than one with hundreds.
class FieldErrors {
public:
    static constexpr std::size_t kCausesMax = 1000;
    static constexpr std::size_t kBytesMax = 256u << 10;

    bool empty() const { return causes_.empty(); }
    std::size_t size() const { return causes_.size(); }
    const std::vector<Cause>& causes() const& { return causes_; }
    std::vector<Cause> causes() && { return std::move(causes_); }

    void add_required(const FieldPath& path, std::string_view detail);
    void add_invalid(const FieldPath& path, const Shown& value, std::string_view detail);
    void add_type_invalid(const FieldPath& path, const Shown& value, std::string_view detail);
    void add_forbidden(const FieldPath& path, std::string_view detail);
    // The supported values are listed in the order given.
    void add_not_supported(const FieldPath& path, const Shown& value, std::span<const std::string_view> supported);
    void add_not_supported(const FieldPath& path, const Shown& value,
                           std::initializer_list<std::string_view> supported) {
        add_not_supported(path, value, std::span(supported.begin(), supported.size()));
    }
    void add_duplicate(const FieldPath& path, const Shown& value);
    void add_not_found(const FieldPath& path, const Shown& value, std::string_view detail = {});
    void add_too_long(const FieldPath& path, std::size_t bytes_max);
    void add_too_many(const FieldPath& path, std::size_t count, std::size_t count_max);
    // One Invalid for each problem that a predicate of names.h found. The value is not quoted when there is none.
    void add_problems(const FieldPath& path, std::string_view value, const Problems& problems);
    void add_problems(const FieldPath& path, std::int64_t value, const Problems& problems);
    void append(FieldErrors more);
    // Further mistakes are only counted, not listed. Code that would show a long value many times can stop.
    bool is_full() const { return causes_.size() >= kCausesMax || bytes_ >= kBytesMax; }
    // How many are not listed.
    std::size_t left_out() const { return left_out_; }

private:
    void add(const char* reason, const FieldPath& path, std::string message, std::string_view detail);

    std::vector<Cause> causes_;
    std::size_t bytes_ = 0;
    std::size_t left_out_ = 0;
};

// 422 with every cause: `Pod "p" is invalid: spec.x: Required value`, in brackets when there are several different
// ones. `errors` must not be empty.
Error invalid_object(const KindInfo& kind, std::string_view name, FieldErrors errors);

inline constexpr const char* kImmutableSentence = "field is immutable";
inline constexpr const char* kNonNegativeSentence = "must be greater than or equal to 0";
inline constexpr const char* kPositiveSentence = "must be greater than 0";

// Adds kNonNegativeSentence when below zero.
void check_non_negative(const FieldPath& path, std::int64_t value, FieldErrors& errors);

}  // namespace muster::api
