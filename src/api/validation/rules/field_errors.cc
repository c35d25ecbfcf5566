#include "api/validation/rules/field_errors.h"

#include <algorithm>

#include "api/value/quote.h"

namespace muster::api {

std::string FieldPath::str() const {
    std::string out;
    for (std::size_t i = 0; i < count_; ++i) {
        const Step& step = steps_[i];
        switch (step.kind) {
            case kName:
                if (!out.empty()) out += '.';
                out.append(step.text, step.number);
                break;
            case kIndex: out.append("[").append(std::to_string(step.number)).append("]"); break;
            case kKey: out.append("[").append(step.text, step.number).append("]"); break;
        }
    }
    return out;
}

Shown::Shown(std::string_view text) : printed_(in_quotes(text)) {}

Shown Shown::json(std::string text) {
    Shown shown;
    shown.printed_ = std::move(text);
    return shown;
}

namespace {

std::string with_value(const char* sentence, const Shown& value) {
    constexpr std::size_t kValueMax = 16u << 10;
    const std::string& printed = value.printed();
    if (printed.empty()) return sentence;
    return std::string(sentence) + ": " + (printed.size() > kValueMax ? printed.substr(0, kValueMax) + "..." : printed);
}

}  // namespace

void FieldErrors::add(const char* reason, const FieldPath& path, std::string message, std::string_view detail) {
    if (is_full()) {
        ++left_out_;
        return;
    }
    if (!detail.empty()) message.append(": ").append(detail);
    bytes_ += message.size();
    causes_.push_back({reason, path.str(), std::move(message)});
}

void FieldErrors::add_required(const FieldPath& path, std::string_view detail) {
    add("FieldValueRequired", path, "Required value", detail);
}

void FieldErrors::add_invalid(const FieldPath& path, const Shown& value, std::string_view detail) {
    add("FieldValueInvalid", path, with_value("Invalid value", value), detail);
}

void FieldErrors::add_type_invalid(const FieldPath& path, const Shown& value, std::string_view detail) {
    add("FieldValueTypeInvalid", path, with_value("Invalid value", value), detail);
}

void FieldErrors::add_forbidden(const FieldPath& path, std::string_view detail) {
    add("FieldValueForbidden", path, "Forbidden", detail);
}

void FieldErrors::add_not_supported(const FieldPath& path, const Shown& value,
                                    std::span<const std::string_view> supported) {
    std::string detail;
    for (std::string_view choice : supported)
        detail.append(detail.empty() ? "supported values: " : ", ").append(in_quotes(choice));
    add("FieldValueNotSupported", path, with_value("Unsupported value", value), detail);
}

void FieldErrors::add_duplicate(const FieldPath& path, const Shown& value) {
    add("FieldValueDuplicate", path, with_value("Duplicate value", value), "");
}

void FieldErrors::add_not_found(const FieldPath& path, const Shown& value, std::string_view detail) {
    add("FieldValueNotFound", path, with_value("Not found", value), detail);
}

void FieldErrors::add_too_long(const FieldPath& path, std::size_t bytes_max) {
    add("FieldValueTooLong", path, "Too long",
        "may not be more than " + std::to_string(bytes_max) + (bytes_max == 1 ? " byte" : " bytes"));
}

void FieldErrors::add_too_many(const FieldPath& path, std::size_t count, std::size_t count_max) {
    add("FieldValueTooMany", path, "Too many: " + std::to_string(count),
        "must have at most " + std::to_string(count_max) + (count_max == 1 ? " item" : " items"));
}

void FieldErrors::add_problems(const FieldPath& path, std::string_view value, const Problems& problems) {
    for (const std::string& problem : problems) add_invalid(path, value, problem);
}

void FieldErrors::add_problems(const FieldPath& path, std::int64_t value, const Problems& problems) {
    for (const std::string& problem : problems) add_invalid(path, value, problem);
}

void FieldErrors::append(FieldErrors more) {
    left_out_ += more.left_out_;
    for (Cause& cause : more.causes_) {
        if (is_full()) {
            ++left_out_;
            continue;
        }
        bytes_ += cause.message.size();
        causes_.push_back(std::move(cause));
    }
}

Error invalid_object(const KindInfo& kind, std::string_view name, FieldErrors errors) {
    CHECK(!errors.empty());
    // The same sentence about the same field is said once, though every cause is listed.
    std::vector<std::string> said;
    for (const Cause& cause : errors.causes()) {
        std::string sentence = cause.field + ": " + cause.message;
        if (std::find(said.begin(), said.end(), sentence) == said.end()) said.push_back(std::move(sentence));
    }
    std::string message = kind.kind;
    if (*kind.group) message.append(".").append(kind.group);
    message.append(" ").append(in_quotes(name)).append(" is invalid: ");
    if (said.size() > 1) message += '[';
    for (std::size_t i = 0; i < said.size(); ++i) message.append(i ? ", " : "").append(said[i]);
    if (errors.left_out() > 0) message.append(", and ").append(std::to_string(errors.left_out())).append(" more");
    if (said.size() > 1) message += ']';
    return Error{
        Code::kInvalid, std::move(message), std::move(errors).causes(), {std::string(name), kind.group, kind.kind}};
}

void check_non_negative(const FieldPath& path, std::int64_t value, FieldErrors& errors) {
    if (value < 0) errors.add_invalid(path, value, kNonNegativeSentence);
}

}  // namespace muster::api
