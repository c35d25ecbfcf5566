#include "server/rest/list.h"

#include "os/loop/breath.h"
#include "server/kind_object/field_labels.h"
#include "server/kind_object/unreadable_object.h"
#include "server/kind_object/views.h"
#include "server/objects/deletion.h"
#include "server/rest/deadline.h"
#include "server/rest/failure.h"
#include "server/rest/verbs.h"

namespace muster::server {
namespace {

using api::KindInfo;

std::string prefix_of(const Call& call) {
    return list_prefix(stored_kind(call.resource_kind()), call.route.namespace_);
}

// The continue token of a list whose version is gone, and what the client can do about it.
Answer expired_token(const Call& call, const ContinueToken& token) {
    api::meta::Status status = status_of(
        {Code::kExpired,
         "The provided continue parameter is too old to display a consistent list result. You can start a new list "
         "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
         "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
         "modified, or deleted between the time the first chunk was returned and now may show up in the list."});
    status.metadata.continue_ = format_continue({-1, token.start});
    return answer_status(status, call.as.form);
}

// What the client's options say of the state to show; the version in a token goes before all others.
Result<store::ListOptions> choose_state(const Objects& objects, const ListQuery& list,
                                        const std::optional<ContinueToken>& token, std::string& start) {
    store::ListOptions options;
    if (token) {
        if (token->version > 0) options.at = static_cast<store::Revision>(token->version);
        options.start = start;
    } else if (list.version) {
        TRY(check_reached(objects, *list.version));
        if (list.is_exact()) options.at = list.version;
    }
    // With a selector, any object may be left out, so all are listed; ListBody applies the limit.
    if (list.selects_all()) options.limit = static_cast<std::size_t>(list.limit);
    return options;
}

// Turns a snapshot into the answer's text. Holds only what never changes.
struct ListBody {
    const KindInfo& kind;
    Presentation as;
    ListQuery list;
    store::Listing listing;
    std::size_t prefix_size;

    std::string operator()() const {
        api::meta::ListMeta meta;
        meta.resource_version = std::to_string(listing.revision);
        std::vector<KindObjectPtr> items;
        std::size_t taken = 0;
        const std::size_t limit = list.limit > 0 ? static_cast<std::size_t>(list.limit) : SIZE_MAX;
        for (; taken < listing.items.size() && items.size() < limit; ++taken) {
            KindObjectPtr object =
                as_kind(std::static_pointer_cast<const KindObject>(listing.items[taken].object), kind);
            if (is_selected(*object, list)) items.push_back(std::move(object));
        }
        const std::size_t remaining = listing.items.size() - taken + listing.remaining;
        if (remaining != 0 && taken != 0) {
            std::string after(listing.items[taken - 1].key.view().substr(prefix_size));
            after += '\0';
            meta.continue_ = format_continue({static_cast<std::int64_t>(listing.revision), std::move(after)});
            if (list.selects_all()) meta.remaining_item_count = static_cast<std::int64_t>(remaining);
        }
        return encode_list(kind, meta, items, as);
    }
};

Result<store::Listing> take(const Objects& objects, const Call& call, const ListQuery& list,
                            const std::optional<ContinueToken>& token, const std::string& prefix) {
    std::string start = token ? prefix + token->start : std::string();
    TRY_ASSIGN(const store::ListOptions options, choose_state(objects, list, token, start));
    // One object by name is what `kubectl wait` and single-object informers ask for.
    const auto name = list.fields.exact_value("metadata.name");
    const bool one_place = name && (!call.resource_kind().options.namespaced || !call.route.namespace_.empty());
    if (!one_place || options.at || token || name->empty()) return objects.store().list(prefix, options);
    store::Listing listing{objects.store().revision(), {}, 0};
    if (auto stored = objects.store().get(prefix + std::string(*name))) listing.items.push_back(std::move(*stored));
    return listing;
}

}  // namespace

bool is_selected(const KindObject& object, const ListQuery& list) {
    return list.labels.matches(object.metadata().labels) && matches_fields(object, list.fields);
}

Result<Answer> list_objects(const Objects& objects, const Call& call) {
    TRY_ASSIGN(ListQuery list, parse_list_query(call.query, call.resource_kind(), false));
    std::optional<ContinueToken> token;
    if (!list.continue_token.empty()) {
        if (list.version)
            return Error{Code::kBadRequest, "specifying resource version is not allowed when using continue"};
        TRY_ASSIGN(token, parse_continue(list.continue_token));
    }
    const std::string prefix = prefix_of(call);
    Result<store::Listing> listing = take(objects, call, list, token, prefix);
    if (!listing.ok()) {
        if (listing.error().code == Code::kExpired && token) return expired_token(call, *token);
        if (listing.error().code == Code::kExpired)
            return Error{Code::kExpired, "The provided resource version is too old: " + listing.error().message};
        return std::move(listing).error();
    }
    TRY(check_readable(call.resource_kind(), *listing));
    const store::Revision revision = listing->revision;
    ListBody body{call.resource_kind(), call.as, std::move(list), std::move(*listing), prefix.size()};
    const std::size_t items = body.listing.items.size();
    return Answer{200, call.as.form.content_type(), std::move(body), revision, {}, items};
}

Answer empty_list(const Objects& objects, const Call& call) {
    api::meta::ListMeta meta;
    meta.resource_version = std::to_string(objects.store().durable_revision());
    return {200, call.as.form.content_type(), encode_list(call.resource_kind(), meta, {}, call.as)};
}

os::Task<Result<Answer>> delete_collection(Objects& objects, Call& call, Duration until) {
    const api::meta::DeleteOptions& asked = *call.delete_options;
    CO_TRY(check_delete_options(asked, Deletes::kMany));
    CO_TRY_ASSIGN(const ListQuery list, parse_list_query(call.query, call.resource_kind(), false));
    call.write.dry_run = !asked.dry_run.empty();
    CO_TRY_ASSIGN(const store::Listing listing, objects.store().list(prefix_of(call)));
    CO_TRY(check_readable(call.resource_kind(), listing));
    std::vector<KindObjectPtr> items;
    Answer answer{200, call.as.form.content_type(), std::string(), listing.revision};
    os::Breath breath(objects.loop());
    for (const store::Stored& stored : listing.items) {
        co_await breath.take();
        if (objects.loop().uptime() >= until) co_return timed_out();
        KindObjectPtr object = as_kind(std::static_pointer_cast<const KindObject>(stored.object), call.resource_kind());
        if (!is_selected(*object, list)) continue;
        const Place place{call.resource_kind(), object->metadata().namespace_, object->metadata().name};
        const Result<KindObjectPtr> now = objects.get(place);
        if (!now.ok() || !((*now)->metadata().uid == object->metadata().uid)) continue;
        const Result<Outcome> gone = objects.remove(place, asked, write_options(call));
        if (!gone.ok() && gone.error().code != Code::kNotFound) co_return gone.error();
        if (gone.ok()) answer.durable = std::max(answer.durable, gone->revision);
        items.push_back(std::move(object));
    }
    std::sort(call.warnings.begin(), call.warnings.end());
    call.warnings.erase(std::unique(call.warnings.begin(), call.warnings.end()), call.warnings.end());
    api::meta::ListMeta meta;
    meta.resource_version = std::to_string(listing.revision);
    answer.items = items.size();
    answer.body = [items = std::move(items), meta, &kind = call.resource_kind(), as = call.as] {
        return encode_list(kind, meta, items, as);
    };
    co_return answer;
}

}  // namespace muster::server
