#include "api/selector/label_selector.h"

#include <algorithm>
#include <charconv>

#include "api/kinds/meta/meta.h"
#include "api/selector/names.h"
#include "api/value/quote.h"

namespace muster::api {
namespace {

using Op = LabelSelector::Op;

// A decimal number with an optional sign, of 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text) {
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const std::string& part : parts) {
        if (&part != &parts.front()) out += separator;
        out += part;
    }
    return out;
}

std::string invalid(std::string_view path, std::string_view value, std::string_view detail) {
    return std::string(path).append(": Invalid value: ").append(value).append(": ").append(detail);
}

// []string{"a", "b"}: how the API's answers print a list.
std::string list_text(std::span<const Text> values) {
    if (values.empty()) return "[]string(nil)";
    std::vector<std::string> quoted;
    for (const Text& value : values) quoted.push_back(in_quotes(value));
    return "[]string{" + join(quoted, ", ") + "}";
}

std::string value_path(std::size_t index) { return "values[" + std::to_string(index) + "]"; }

void check_value_count(Op op, std::span<const Text> values, std::vector<std::string>& problems) {
    const auto refuse = [&](std::string_view rule) { problems.push_back(invalid("values", list_text(values), rule)); };
    switch (op) {
        case Op::kIn:
        case Op::kNotIn:
            if (values.empty()) refuse("for 'in', 'notin' operators, values set can't be empty");
            break;
        case Op::kEquals:
        case Op::kDoubleEquals:
        case Op::kNotEquals:
            if (values.size() != 1) refuse("exact-match compatibility requires one single value");
            break;
        case Op::kExists:
        case Op::kDoesNotExist:
            if (!values.empty()) refuse("values set must be empty for exists and does not exist");
            break;
        case Op::kGreaterThan:
        case Op::kLessThan:
            if (values.size() != 1) refuse("for 'Gt', 'Lt' operators, exactly one value is required");
            for (std::size_t i = 0; i < values.size(); ++i)
                if (!parse_integer(values[i]))
                    problems.push_back(invalid(value_path(i), in_quotes(values[i]),
                                               "for 'Gt', 'Lt' operators, the value must be an integer"));
            break;
    }
}

std::vector<std::string> check_requirement(std::string_view key, Op op, std::span<const Text> values) {
    std::vector<std::string> problems;
    if (const Problems found = is_qualified_name(key); !found.empty())
        problems.push_back(invalid("key", in_quotes(key), join(found, "; ")));
    check_value_count(op, values, problems);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const Problems found = is_label_value(values[i]); !found.empty())
            problems.push_back(
                invalid(value_path(i) + "[" + std::string(key) + "]", in_quotes(values[i]), join(found, "; ")));
    return problems;
}

bool has_value(const LabelSelector::Requirement& requirement, const Text& value) {
    return std::find(requirement.values.begin(), requirement.values.end(), value) != requirement.values.end();
}

bool holds(const LabelSelector::Requirement& requirement, const Text* value) {
    switch (requirement.op) {
        case Op::kIn:
        case Op::kEquals:
        case Op::kDoubleEquals: return value && has_value(requirement, *value);
        case Op::kNotIn:
        case Op::kNotEquals: return !value || !has_value(requirement, *value);
        case Op::kExists: return value;
        case Op::kDoesNotExist: return !value;
        case Op::kGreaterThan:
        case Op::kLessThan: {
            const auto number = value ? parse_integer(*value) : std::nullopt;
            if (!number) return false;
            return requirement.op == Op::kGreaterThan ? *number > requirement.bound : *number < requirement.bound;
        }
    }
    return false;
}

std::string_view symbol(Op op) {
    switch (op) {
        case Op::kIn: return " in ";
        case Op::kNotIn: return " notin ";
        case Op::kEquals: return "=";
        case Op::kDoubleEquals: return "==";
        case Op::kNotEquals: return "!=";
        case Op::kGreaterThan: return ">";
        case Op::kLessThan: return "<";
        case Op::kExists:
        case Op::kDoesNotExist: break;
    }
    return "";
}

void append_requirement(const LabelSelector::Requirement& requirement, std::string& out) {
    if (requirement.op == Op::kDoesNotExist) out += '!';
    out += requirement.key.view();
    out += symbol(requirement.op);
    const bool is_set = requirement.op == Op::kIn || requirement.op == Op::kNotIn;
    if (is_set) out += '(';
    for (const Text& value : requirement.values) {
        if (&value != &requirement.values.front()) out += ',';
        out += value.view();
    }
    if (is_set) out += ')';
}

}  // namespace

LabelSelector LabelSelector::nothing() {
    LabelSelector made;
    made.nothing_ = true;
    return made;
}

Result<LabelSelector::Op> LabelSelector::parse_op(std::string_view word) {
    if (word == "In") return Op::kIn;
    if (word == "NotIn") return Op::kNotIn;
    if (word == "Exists") return Op::kExists;
    if (word == "DoesNotExist") return Op::kDoesNotExist;
    return Error{Code::kInvalid, in_quotes(word) + " is not a valid label selector operator"};
}

Result<LabelSelector> LabelSelector::from(const meta::LabelSelector* selector) {
    if (!selector) return nothing();
    LabelSelector made;
    for (const auto& [key, value] : selector->match_labels) TRY(made.add(key, Op::kEquals, {&value, 1}));
    for (const meta::LabelSelectorRequirement& expression : selector->match_expressions) {
        TRY_ASSIGN(const Op op, parse_op(expression.operator_));
        TRY(made.add(expression.key, op, {expression.values.begin(), expression.values.end()}));
    }
    return made;
}

Result<> LabelSelector::add(std::string_view key, Op op, std::span<const Text> values) {
    std::vector<std::string> problems = check_requirement(key, op, values);
    if (problems.size() == 1) return Error{Code::kInvalid, problems.front()};
    if (!problems.empty()) return Error{Code::kInvalid, "[" + join(problems, ", ") + "]"};
    if (requirements_.size() >= kRequirementsMax)
        return Error{Code::kInvalid, "a selector has at most " + std::to_string(kRequirementsMax) + " requirements"};
    Requirement made{Text(key), op, {values.begin(), values.end()}};
    std::sort(made.values.begin(), made.values.end());
    if (op == Op::kGreaterThan || op == Op::kLessThan) made.bound = *parse_integer(made.values.front());
    const auto before = [](const Text& left, const Requirement& right) { return left < right.key; };
    requirements_.insert(std::upper_bound(requirements_.begin(), requirements_.end(), made.key, before), made);
    return {};
}

bool LabelSelector::matches(const Map<Text>& labels) const {
    if (nothing_) return false;
    return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
        return holds(requirement, labels.find(requirement.key));
    });
}

std::optional<Text> LabelSelector::exact_value(std::string_view key) const {
    for (const Requirement& requirement : requirements_) {
        const bool exact =
            requirement.op == Op::kEquals || requirement.op == Op::kDoubleEquals || requirement.op == Op::kIn;
        if (exact && requirement.key == key && requirement.values.size() == 1) return requirement.values.front();
    }
    return std::nullopt;
}

std::string LabelSelector::text() const {
    std::string out;
    for (const Requirement& requirement : requirements_) {
        if (&requirement != &requirements_.front()) out += ',';
        append_requirement(requirement, out);
    }
    return out;
}

}  // namespace muster::api
