// What a request's query asks for, read and checked: of writes, of lists and of watches.
#pragma once

#include <optional>
#include <string>

#include "api/schema/kind_info.h"
#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "server/negotiation/target.h"
#include "server/rest/body.h"
#include "store/object.h"

namespace muster::server {

struct WriteQuery {
    bool dry_run = false;
    FieldValidation validation = FieldValidation::kWarn;
};
// `options_kind`: CreateOptions, UpdateOptions or PatchOptions, whose rules a wrong value breaks. kInvalid.
Result<WriteQuery> parse_write_query(const Query& query, const char* options_kind);

enum class VersionMatch { kUnset, kExact, kNotOlderThan };

struct ListQuery {
    api::LabelSelector labels{};
    api::FieldSelector fields{};
    std::int64_t limit = 0;  // 0: all
    std::string continue_token{};
    // Nothing, or "0": whatever there is. Else that version, and how it is meant.
    std::optional<store::Revision> version{};
    VersionMatch match = VersionMatch::kUnset;
    // Of watches.
    bool bookmarks = false;
    bool send_initial_events = false;  // WatchList
    bool version_unset = true;
    std::optional<std::int64_t> timeout_seconds{};

    bool selects_all() const { return labels.is_everything() && fields.is_everything(); }
    // Exactly that version was asked for.
    bool is_exact() const {
        return version && (match == VersionMatch::kExact || (match == VersionMatch::kUnset && limit > 0));
    }
};
Result<ListQuery> parse_list_query(const Query& query, const api::KindInfo& kind, bool is_watch);

// Where a list goes on: base64 of the version it began at and of the key after which it stopped, below the prefix.
struct ContinueToken {
    std::int64_t version = 0;  // -1: the newest, whatever came between
    std::string start{};
};
std::string format_continue(const ContinueToken& token);
// kBadRequest for what was not made by format_continue.
Result<ContinueToken> parse_continue(std::string_view text);

// "resourceVersion" of a get or a list; nothing when it is unset or 0. kInternal as upstream when it is no number.
Result<std::optional<store::Revision>> parse_version(std::string_view text);

}  // namespace muster::server
