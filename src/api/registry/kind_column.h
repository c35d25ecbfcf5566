// One property of every kind of a list, as a layer above the declarations adds it: the rules of api/rules, the printers
// of server/table, the maker of objects in server/kind_object. The property comes from a function template with a
// specialisation for each kind, whose general form is deleted: a kind that lacks the property does not compile.
// All defined kinds of one scope share a row (api/registry/defined_kind.h); a column without it has no property of
// theirs.
#pragma once

#include <optional>
#include <vector>

#include "api/kinds/kind_list.h"
#include "base/check.h"

namespace muster::api {

template <class Property>
class KindColumn {
public:
    // `each.template operator()<K>()` gives the property of K.
    template <class... K, class Each>
    KindColumn(KindList<K...>, Each each) {
        (set(kind_info<K>().row, each.template operator()<K>()), ...);
    }
    // For rows of defined kinds.
    void set(std::uint32_t row, Property property) {
        if (rows_.size() <= row) rows_.resize(row + 1);
        CHECK(!rows_[row], "a kind has each property once");
        rows_[row].emplace(std::move(property));
    }

    // Null for a kind that is not in the list.
    const Property* find(const KindInfo& kind) const {
        return kind.row < rows_.size() && rows_[kind.row] ? &*rows_[kind.row] : nullptr;
    }
    const Property& of(const KindInfo& kind) const {
        const Property* found = find(kind);
        CHECK(found, kind.kind);
        return *found;
    }

private:
    std::vector<std::optional<Property>> rows_;
};

}  // namespace muster::api
