// The selector language of ?fieldSelector=: "a=b,c!=d,e==f", where \, \= and \\ stand for themselves in a value. It
// knows nothing of fields: the server lists which of them a kind has and how each is read.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::api {

class FieldSelector {
public:
    struct Term {
        std::string field;
        std::string value;
        bool negated = false;
        bool operator==(const Term&) const = default;
    };
    static constexpr std::size_t kTextMax = 64 * 1024;
    static constexpr std::size_t kTermsMax = 1000;

    // Selects everything.
    FieldSelector() = default;
    // Fails with kBadRequest and Kubernetes' sentence.
    static Result<FieldSelector> parse(std::string_view text);

    void add(std::string_view field, std::string_view value, bool negated = false) {
        terms_.push_back({std::string(field), std::string(value), negated});
    }

    // value_of(field) gives the field's text, empty when it is not set.
    template <class ValueOf>
    bool matches(ValueOf&& value_of) const {
        return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
            return (value_of(std::string_view(term.field)) == std::string_view(term.value)) != term.negated;
        });
    }
    bool is_everything() const { return terms_.empty(); }
    const std::vector<Term>& terms() const { return terms_; }
    // Each field once, in order of first use.
    std::vector<std::string_view> fields() const;
    // The value that the field must have, when there is one: metadata.name=x is a single get.
    std::optional<std::string_view> exact_value(std::string_view field) const;
    std::string text() const;

    bool operator==(const FieldSelector&) const = default;

private:
    std::vector<Term> terms_;
};

}  // namespace muster::api
