// The store's reading half: get, list at a revision, watch; and how much of the past is kept for it.
#include <algorithm>

#include "base/check.h"
#include "store/bucket.h"
#include "store/store.h"

namespace muster::store {
namespace {

Error expired(Revision asked, Revision gone) {
    return {Code::kExpired,
            "revision " + std::to_string(asked) + " is older than the oldest kept, " + std::to_string(gone)};
}

Error too_new(Revision asked, Revision newest) {
    return {Code::kTimeout,
            "revision " + std::to_string(asked) + " is still to come, the newest is " + std::to_string(newest)};
}

Error malformed_prefix(std::string_view prefix) {
    return {Code::kBadRequest, "\"" + std::string(prefix) + "\" is not of the form /<group>/<resource>/…"};
}

// The entry's state at a revision that the history reaches back to: the state before its first event after that.
Stored state_at(const Entry& entry, Revision at, const History& history) {
    if (entry.revision <= at) return {entry.key, entry.revision, object_of(entry)};
    CHECK(entry.event >= history.first(), "a change after a revision that can be listed is in the history");
    const HistoryEvent* event = &history.at(entry.event);
    while (event->older >= history.first() && history.at(event->older).revision > at) event = &history.at(event->older);
    return {entry.key, event->previous_revision, event->previous};
}

// How many there were at a revision, given how many there are now in the same stretch: undoes what came after.
std::size_t count_at(std::size_t now, Revision at, std::string_view from, std::string_view prefix,
                     const History& history) {
    auto count = static_cast<std::int64_t>(now);
    for (std::uint64_t number = history.first_after(at); number < history.next(); ++number) {
        const HistoryEvent& event = history.at(number);
        const std::string_view key = event.key;
        if (event.type == EventType::kUpdated || key < from || !key.starts_with(prefix)) continue;
        count += event.type == EventType::kCreated ? -1 : 1;
    }
    CHECK(count >= 0, "there were objects, or none");
    return static_cast<std::size_t>(count);
}

// The least string that is greater than all that start with the prefix, which ends in a slash or a name.
std::string prefix_end(std::string_view prefix) {
    std::string end(prefix);
    while (!end.empty() && end.back() == '\xff') end.pop_back();
    if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
    return end;
}

}  // namespace

Entry* Store::find_live(const Bucket* bucket, std::string_view key) const {
    if (!bucket) return nullptr;
    Entry* entry = bucket->index.find(key);
    // A removal that is forgotten already is none of those after `gone`.
    note_seen(entry ? entry->revision : bucket->history.gone());
    return entry && entry->object ? entry : nullptr;
}

std::optional<Stored> Store::get(std::string_view key) const {
    const Entry* entry = find_live(find_bucket(bucket_of(key)), key);
    if (!entry) return std::nullopt;
    return Stored{entry->key, entry->revision, object_of(*entry)};
}

Result<Listing> Store::list(std::string_view prefix, const ListOptions& options) const {
    const std::string_view name = bucket_of(prefix);
    if (name.empty()) return malformed_prefix(prefix);
    const Bucket* bucket = find_bucket(name);
    const Revision at = options.at.value_or(progress_->revision);
    const Revision gone = bucket ? bucket->history.gone() : progress_->opened_at;
    if (at > progress_->revision) return too_new(at, progress_->revision);
    if (at < gone) return expired(at, gone);
    Listing listing{at, {}, 0};
    if (!bucket) return listing;
    note_seen(bucket->history.newest());

    const Index& index = bucket->index;
    if (options.limit == 0 && name == prefix) listing.items.reserve(index.live());
    Index::Position position = index.lower_bound(std::max(prefix, options.start));
    const bool newest = at == progress_->revision;
    const auto next = [&] { return newest ? index.next_live(position) : index.next(position); };
    for (Index::Position before = position; const Entry* entry = next(); before = position) {
        if (!entry->key.view().starts_with(prefix)) break;
        Stored state = state_at(*entry, at, bucket->history);
        if (!state.object) continue;
        if (options.limit != 0 && listing.items.size() == options.limit) {
            const std::size_t now = index.live_between(before, index.lower_bound(prefix_end(prefix)));
            listing.remaining = count_at(now, at, entry->key, prefix, bucket->history);
            break;
        }
        listing.items.push_back(std::move(state));
    }
    return listing;
}

Result<std::unique_ptr<Watch>> Store::watch(std::string_view prefix, Revision from, Visibility visibility) {
    const std::string_view name = bucket_of(prefix);
    if (name.empty()) return malformed_prefix(prefix);
    if (from > progress_->revision) return too_new(from, progress_->revision);
    const std::shared_ptr<Bucket>& bucket = bucket_at(name);
    if (from < bucket->history.gone()) return expired(from, bucket->history.gone());
    return std::make_unique<Watch>(bucket, std::string(prefix), from, visibility);
}

void Store::bound_history(Bucket& written) {
    while (written.history.size() > options_.history_events_max + History::kBlockEvents) drop_oldest(written);
    while (written.history.weight() > written.history_bytes_max) drop_oldest(written);
    bound_history_bytes();
}

void Store::bound_history_bytes() {
    while (history_bytes_ > options_.history_bytes_max) {
        Bucket* largest = nullptr;
        for (const auto& [name, bucket] : buckets_)
            if (!largest || bucket->history.weight() > largest->history.weight()) largest = bucket.get();
        CHECK(largest && largest->history.size() != 0, "the bytes of all histories are those of each");
        drop_oldest(*largest);
    }
}

void Store::limit_history(std::size_t bytes_max) {
    options_.history_bytes_max = bytes_max;
    bound_history_bytes();
}

// The clock is read once per group, not once per write.
void Store::forget_by_age() {
    const Duration now = loop_.uptime();
    if (marks_.empty() || now - marks_.back().at >= 1s) marks_.push_back({now, progress_->revision});
    std::optional<Revision> past;
    while (!marks_.empty() && marks_.front().at + options_.history_age_max < now) {
        past = marks_.front().revision;
        marks_.pop_front();
    }
    if (!past) return;
    for (const auto& [name, bucket] : buckets_)
        while (bucket->history.size() != 0 && bucket->history.oldest_block()->events.back().revision <= *past)
            drop_oldest(*bucket);
}

void Store::drop_oldest(Bucket& bucket) {
    CHECK(history_bytes_ >= bucket.history.weight());
    history_bytes_ -= bucket.history.weight();
    const History::BlockPtr block = bucket.history.drop_oldest();
    history_bytes_ += bucket.history.weight();
    for (std::uint64_t number = block->first; block->holds(number); ++number) {
        const HistoryEvent& event = block->at(number);
        if (event.object) continue;
        Entry* entry = bucket.index.find(event.key);
        if (entry && entry->event == number) bucket.index.erase(*entry);
    }
}

}  // namespace muster::store
