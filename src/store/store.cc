#include "store/store.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "store/bucket.h"

namespace muster::store {
namespace {

Error malformed(std::string_view key) {
    return {Code::kBadRequest, "\"" + std::string(key) + "\" is not of the form /<group>/<resource>/…"};
}

Error not_found(std::string_view key) { return {Code::kNotFound, "\"" + std::string(key) + "\" not found"}; }

}  // namespace

Store::Store(os::Loop& loop, Journal& journal, StoreOptions options)
    : loop_(loop),
      journal_(journal),
      options_(options),
      progress_(std::make_shared<Progress>()),
      self_(std::make_shared<Store*>(this)) {
    open_group();
}

Store::~Store() {
    *self_ = nullptr;
    progress_->closed = true;
    // Waiting watches learn that no event will come. Coroutines that wait for the disk are never resumed, because
    // their write cannot be confirmed.
    for (const auto& [name, bucket] : buckets_) {
        loop_.wake_all(bucket->waiting);
        loop_.wake_all(bucket->waiting_durable);
    }
}

Result<std::unique_ptr<Store>> Store::open(os::Loop& loop, Journal& journal, Codec& codec, StoreOptions options) {
    std::unique_ptr<Store> store(new Store(loop, journal, options));
    TRY(store->load(codec));
    return store;
}

Result<> Store::load(Codec& codec) {
    std::optional<Error> failure;
    auto recovered = journal_.recover(codec, [&](Recovered one) {
        CHECK(one.object, "a key on disk has an object");
        const std::string_view name = bucket_of(one.key);
        if (name.empty()) {
            failure = Error{Code::kCorrupt, malformed(one.key).message};
            return;
        }
        Bucket* bucket = find_bucket(name);
        if (!bucket) bucket = bucket_at(name).get();
        Index& index = bucket->index;
        Entry& entry = index.insert(std::move(one.key));
        entry.object = std::move(one.object);
        entry.revision = one.revision;
        entry.base = one.base;
        index.count_live(entry);
    });
    TRY(recovered);
    if (failure) return *failure;
    progress_->opened_at = progress_->revision = progress_->durable = *recovered;
    for (const auto& [name, bucket] : buckets_) bucket->history = History(*recovered);
    return {};
}

Revision Store::revision() const { return progress_->revision; }
Revision Store::durable_revision() const { return progress_->durable; }

Bucket* Store::find_bucket(std::string_view bucket_name) const {
    if (last_bucket_ && last_bucket_->prefix == bucket_name) return last_bucket_;
    const auto found = buckets_.find(bucket_name);
    if (found == buckets_.end()) return nullptr;
    return last_bucket_ = found->second.get();
}

const std::shared_ptr<Bucket>& Store::bucket_at(std::string_view bucket_name) {
    auto found = buckets_.find(bucket_name);
    if (found == buckets_.end()) {
        std::string name(bucket_name);
        const auto limit = options_.history_bytes_max_of.find(name);
        const std::size_t bytes_max =
            limit == options_.history_bytes_max_of.end() ? std::numeric_limits<std::size_t>::max() : limit->second;
        found = buckets_.emplace(name, std::make_shared<Bucket>(name, progress_, bytes_max)).first;
    }
    return found->second;
}

Result<Written> Store::create(std::string_view key, Draft draft) noexcept {
    CHECK(draft && draft.use_count() == 1, "a draft has one holder");
    const std::string_view name = bucket_of(key);
    if (name.empty() || name.size() == key.size()) return malformed(key);
    Bucket* bucket = find_bucket(name);
    if (!bucket) bucket = bucket_at(name).get();
    Entry* entry = bucket->index.find(key);
    if (entry && entry->object) {
        note_seen(entry->revision);
        return Error{Code::kAlreadyExists, "\"" + std::string(key) + "\" already exists"};
    }
    if (!entry) entry = &bucket->index.insert(Text(key));
    const Revision revision = progress_->revision + 1;
    draft->stamp(revision);
    ObjectPtr object = std::move(draft);
    apply(*bucket, *entry, nullptr, object, Difference::kMore);
    return Written{revision, std::move(object), true};
}

Result<Store::Place> Store::find_for_write(std::string_view key, const Preconditions& preconditions) const {
    Bucket* bucket = find_bucket(bucket_of(key));
    Entry* entry = find_live(bucket, key);
    if (!entry) return not_found(key);
    ObjectPtr object = object_of(*entry);
    if (preconditions.uid && *preconditions.uid != object->uid())
        return Error{Code::kConflict, "\"" + std::string(key) + "\" has the UID \"" + std::string(object->uid()) +
                                          "\", not the expected \"" + std::string(*preconditions.uid) + "\""};
    if (preconditions.revision && *preconditions.revision != entry->revision)
        return Error{Code::kConflict, "\"" + std::string(key) + "\" is at revision " + std::to_string(entry->revision) +
                                          ", not at the expected " + std::to_string(*preconditions.revision)};
    return Place{bucket, entry, std::move(object)};
}

Result<Written> Store::update(std::string_view key, Draft draft, const Preconditions& preconditions) noexcept {
    CHECK(draft && draft.use_count() == 1, "a draft has one holder");
    TRY_ASSIGN(Place place, find_for_write(key, preconditions));
    Difference difference = draft->difference_from(*place.object);
    if (difference == Difference::kNone) return Written{place.entry->revision, place.object, false};
    if (difference == Difference::kStatus && !place.entry->object->takes_status()) difference = Difference::kMore;
    const Revision revision = progress_->revision + 1;
    draft->stamp(revision);
    ObjectPtr object = std::move(draft);
    apply(*place.bucket, *place.entry, std::move(place.object), object, difference);
    return Written{revision, std::move(object), true};
}

Result<Removed> Store::remove(std::string_view key, const Preconditions& preconditions) noexcept {
    TRY_ASSIGN(const Place place, find_for_write(key, preconditions));
    apply(*place.bucket, *place.entry, place.object, nullptr, Difference::kMore);
    return Removed{progress_->revision, place.object};
}

void Store::apply(Bucket& bucket, Entry& entry, ObjectPtr previous, ObjectPtr object, Difference difference) {
    CHECK(object || previous, "what is not there cannot be removed");
    const Revision revision = ++progress_->revision;
    CHECK(entry.revision < revision, "the revisions of a key rise");
    const Revision replaces = previous ? entry.revision : 0;
    entry.object = object && object->packs() ? object->packed() : std::move(object);
    entry.revision = revision;
    EventType type = EventType::kUpdated;
    if (!previous) {
        type = EventType::kCreated;
        bucket.index.count_live(entry);
    } else if (!entry.object) {
        type = EventType::kDeleted;
        bucket.index.count_removed(entry);
    }
    const VersionWeights weights = weigh(entry, previous.get());
    enqueue(entry, replaces, difference);

    history_bytes_ -= bucket.history.weight();
    // Readers of the history get a copy of a packed object, so that what they decode goes with the history's block.
    entry.event = bucket.history.append(
        {{type, entry.key, revision, object_of(entry), std::move(previous)}, replaces, entry.event}, weights);
    history_bytes_ += bucket.history.weight();
    if (bucket.first_volatile == 0) bucket.first_volatile = revision;
    if (!bucket.waiting.empty()) loop_.wake_all(bucket.waiting);
    bound_history(bucket);
}

// Two versions share most of their blocks, and looking at the others is enough.
VersionWeights Store::weigh(Entry& entry, const Object* previous) {
    if (!entry.object) return {};
    VersionWeights weights;
    weights.added = entry.object->weight(previous);
    if (!previous) {
        entry.weight = weights.added;
        return weights;
    }
    weights.replaced = previous->weight(entry.object.get());
    entry.weight = entry.weight != 0 ? entry.weight + weights.added - weights.replaced : entry.object->weight(nullptr);
    return weights;
}

void Store::enqueue(Entry& entry, Revision replaces, Difference difference) {
    const Revision base = difference == Difference::kStatus ? entry.base : 0;
    const std::size_t bytes = entry.object ? entry.weight : entry.key.size();
    CHECK(base < entry.revision && (base == 0 || replaces != 0), "a status is written beside an older record");
    PendingGroup* open = groups_.back().get();
    if (entry.change != 0 && entry.change >= open->first_change) {
        CHECK(entry.change - open->first_change < open->group.changes.size());
        Change& change = open->group.changes[entry.change - open->first_change];
        CHECK(change.revision == replaces || replaces == 0, "a group has the newest change of a key");
        CHECK(open->bytes >= change.bytes && waiting_bytes_ >= change.bytes);
        open->bytes = open->bytes - change.bytes + bytes;
        waiting_bytes_ = waiting_bytes_ - change.bytes + bytes;
        change.bytes = bytes;
        change.revision = entry.revision;
        change.base = std::min(change.base, base);  // both halves, if either change is of both
        change.object = entry.object;
        if (change.base == 0) entry.base = entry.revision;
    } else {
        if (open->group.changes.size() >= options_.group_changes_max || open->bytes >= options_.group_bytes_max) {
            open_group();
            open = groups_.back().get();
        }
        open->group.changes.push_back({entry.key, entry.revision, replaces, base, entry.object, bytes});
        open->bytes += bytes;
        waiting_bytes_ += bytes;
        entry.change = next_change_++;
        if (base == 0) entry.base = entry.revision;
    }
    open->group.revision = entry.revision;
    if (committing_ || commit_posted_) return;
    // What else this turn of the loop writes goes into the same group.
    commit_posted_ = true;
    loop_.post([self = self_] {
        if (Store* store = *self) store->commit_next();
    });
}

void Store::open_group() {
    CHECK(groups_.empty() || !groups_.back()->group.changes.empty(), "a group is closed when it has changes");
    groups_.push_back(std::make_unique<PendingGroup>());
    groups_.back()->first_change = next_change_;
}

void Store::commit_next() {
    commit_posted_ = false;
    if (committing_ || groups_.front()->group.changes.empty()) return;
    if (groups_.size() == 1) open_group();
    PendingGroup& next = *groups_.front();
    CHECK(next.group.revision > progress_->durable && next.group.revision <= progress_->revision);
    next.group.newest = progress_->revision;
    committing_ = true;
    // Moving leaves the group's revision behind, which is still needed.
    journal_.commit(std::move(next.group), [self = self_] {
        if (Store* store = *self) store->on_durable();
    });
    forget_by_age();
}

void Store::on_durable() {
    CHECK(committing_ && groups_.size() > 1);
    const std::unique_ptr<PendingGroup> done = std::move(groups_.front());
    groups_.pop_front();
    CHECK(done->group.revision > progress_->durable);
    progress_->durable = done->group.revision;
    CHECK(waiting_bytes_ >= done->bytes);
    waiting_bytes_ -= done->bytes;
    committing_ = false;
    commit_next();
    loop_.wake_all(done->waiting);
    wake_durable();
    for (os::Work& call : done->calls) call();
    wake_for_room();
}

// Those inside the process come first: they finish work that is under way, and there are only so many of them.
void Store::wake_for_room() {
    if (!has_room()) return;
    loop_.wake_all(waiting_for_room_);
    if (calls_for_room_.empty()) return;
    loop_.post([self = self_] {
        if (Store* store = *self) store->call_for_room();
    });
}

// One after the other, as each may fill the room again. If none of them does, nothing else would call the rest.
void Store::call_for_room() {
    while (has_room() && !calls_for_room_.empty()) {
        os::Work call = std::move(calls_for_room_.front());
        calls_for_room_.pop_front();
        call();
    }
}

void Store::when_room(os::Work work) {
    if (has_room() && calls_for_room_.empty()) {
        work();
    } else {
        calls_for_room_.push_back(std::move(work));
    }
}

void Store::wake_durable() {
    for (const auto& [name, bucket] : buckets_) {
        if (bucket->first_volatile == 0 || bucket->first_volatile > progress_->durable) continue;
        loop_.wake_all(bucket->waiting_durable);
        const History& history = bucket->history;
        const std::uint64_t first = history.first_after(progress_->durable);
        bucket->first_volatile = first == history.next() ? 0 : history.at(first).revision;
    }
}

Store::PendingGroup& Store::group_of(Revision revision) {
    CHECK(revision <= progress_->revision, "only a revision that was given out becomes durable");
    for (const auto& group : groups_)
        if (revision <= group->group.revision) return *group;
    CHECK(false, "a revision that is not durable is in no group");
}

void Store::when_durable(Revision revision, os::Work work) {
    if (revision <= progress_->durable) {
        work();
    } else {
        group_of(revision).calls.push_back(std::move(work));
    }
}

StoreStats Store::stats() const {
    StoreStats stats{0, 0, history_bytes_, 0, waiting_bytes_};
    for (const auto& [name, bucket] : buckets_) {
        stats.objects += bucket->index.live();
        stats.history_events += bucket->history.size();
    }
    stats.waiting_changes = next_change_ - groups_.front()->first_change;
    return stats;
}

}  // namespace muster::store
