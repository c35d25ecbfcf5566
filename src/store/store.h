// Maps keys to immutable objects, with one revision counter. A write is visible in memory at once, gets the next
// revision, and goes into its resource's history for watches and to the journal. It becomes durable some time later,
// and only then may anything outside the process learn of it.
// Keys are "/<group>/<resource>/<namespace>/<name>"; the store understands only where the resource ends.
// Invariants: revisions rise by one with every change and are never given twice; all reads come from memory; a write
// never waits for the disk or for a watch. A caller with many writes waits for `room` before it writes. Everything runs
// on the loop.
#pragma once

#include <algorithm>
#include <coroutine>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/instant.h"
#include "base/result.h"
#include "base/text.h"
#include "os/loop/loop.h"
#include "store/journal.h"
#include "store/object.h"
#include "store/watch.h"

namespace muster::store {

struct Bucket;
struct Entry;
struct Progress;
class ReadScope;

struct StoreOptions {
    // The history of a resource drops its oldest events when it has more than so many, or when they are older than
    // that; when all histories together keep more bytes alive than so many, the largest does. Blocks of events leave
    // together, so a few more stay.
    std::size_t history_events_max = 200'000;
    std::size_t history_bytes_max = 48u << 20;
    Duration history_age_max = 300s;
    // Resources ("/core/events/") whose history keeps less: they are written much more often than watched.
    std::map<std::string, std::size_t, std::less<>> history_bytes_max_of{};
    // A group that has so many changes, or changes of so many bytes, is closed, and later ones go into the next.
    std::size_t group_changes_max = 8192;
    std::size_t group_bytes_max = 16u << 20;
    // There is room for more writes while fewer bytes than this wait for the disk.
    std::size_t waiting_bytes_max = 64u << 20;
};

// What must hold of the object for a write to happen; kConflict if not.
struct Preconditions {
    std::optional<Revision> revision{};
    std::optional<std::string_view> uid{};
};

struct Stored {
    Text key;
    Revision revision;
    ObjectPtr object;
};

struct Written {
    Revision revision;  // the object's: an unchanged one keeps its own
    ObjectPtr object;
    bool changed;
};

struct Removed {
    Revision revision;  // the deletion's
    ObjectPtr previous;
};

struct ListOptions {
    std::optional<Revision> at{};  // the state at that revision; the newest when unset
    std::string_view start{};      // keys from here on; the key after K is K + '\0'
    std::size_t limit = 0;         // 0: all
};

struct Listing {
    Revision revision;  // of the state shown
    std::vector<Stored> items;
    std::size_t remaining;  // how many more there are behind the last
    bool more() const { return remaining != 0; }
};

struct StoreStats {
    std::size_t objects;
    std::size_t history_events;
    std::size_t history_bytes;
    std::size_t waiting_changes;  // not yet durable
    std::size_t waiting_bytes;
};

class Store {
public:
    // Reads everything back from the journal, which must outlive the store. Fails as Journal::recover does.
    static Result<std::unique_ptr<Store>> open(os::Loop& loop, Journal& journal, Codec& codec,
                                               StoreOptions options = {});
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // An exception inside a write ends the process: what all share would be half written.
    // kAlreadyExists; kBadRequest when the key has not the form above.
    Result<Written> create(std::string_view key, Draft draft) noexcept;
    // kNotFound, kConflict. An object that is the same as the stored one changes nothing.
    Result<Written> update(std::string_view key, Draft draft, const Preconditions& preconditions = {}) noexcept;
    // kNotFound, kConflict.
    Result<Removed> remove(std::string_view key, const Preconditions& preconditions = {}) noexcept;

    std::optional<Stored> get(std::string_view key) const;
    // What is under a prefix, which must reach the end of the resource ("/batch/jobs/"), in key order.
    // kExpired: the history does not reach back that far. kTimeout: that revision is still to come.
    Result<Listing> list(std::string_view prefix, const ListOptions& options = {}) const;
    // What happens under a prefix strictly after a revision. Fails as `list` does; a watch never waits for a revision
    // that has not been given, as it could not tell what it had missed.
    Result<std::unique_ptr<Watch>> watch(std::string_view prefix, Revision from, Visibility visibility);

    Revision revision() const;
    Revision durable_revision() const;
    StoreStats stats() const;
    // The bytes that only the history keeps alive, and those of writes that wait for the disk.
    std::size_t history_bytes() const { return history_bytes_; }
    std::size_t waiting_bytes() const { return waiting_bytes_; }
    // The history keeps no more than this from now on. Called when the memory of the process is divided.
    void limit_history(std::size_t bytes_max);

    // Whether so little waits for the disk that more may be written. No write is refused when there is no room:
    // requests and clients inside the process wait before they write. Only the journal makes room, so the wait ends
    // even when everything else on the loop waits, too.
    bool has_room() const { return waiting_bytes_ < options_.waiting_bytes_max; }
    // Resumes when there may be room: `while (!store.has_room()) co_await store.room();`
    auto room() {
        struct Awaiter {
            Store& store;
            os::Waiter waiter{};
            bool await_ready() { return store.has_room(); }
            void await_suspend(std::coroutine_handle<> self) {
                waiter.coroutine = self;
                store.waiting_for_room_.add(waiter);
            }
            void await_resume() {}
        };
        return Awaiter{*this};
    }
    // Calls on the loop when there is room, in the order asked; at once when there is already.
    void when_room(os::Work work);

    // For what is read elsewhere: an index that follows a watch. As all reads, it counts for the ReadScope there is.
    void note_seen(Revision revision) const;

    // Goes on when everything up to a revision that was given out is on disk.
    auto durable(Revision revision) {
        struct Awaiter {
            Store& store;
            Revision revision;
            os::Waiter waiter{};
            bool await_ready() { return revision <= store.durable_revision(); }
            void await_suspend(std::coroutine_handle<> self) {
                waiter.coroutine = self;
                store.group_of(revision).waiting.add(waiter);
            }
            void await_resume() {}
        };
        return Awaiter{*this, revision};
    }
    // Calls on the loop when it is; at once when it is already.
    void when_durable(Revision revision, os::Work work);

private:
    struct PendingGroup {
        Group group;
        std::uint64_t first_change = 1;  // number of changes[0]
        std::size_t bytes = 0;
        os::WaiterLine waiting;
        std::vector<os::Work> calls;
    };
    struct Mark {
        Duration at;
        Revision revision;
    };

    Store(os::Loop& loop, Journal& journal, StoreOptions options);
    Result<> load(Codec& codec);

    const std::shared_ptr<Bucket>& bucket_at(std::string_view bucket_name);
    Bucket* find_bucket(std::string_view bucket_name) const;
    // The entry that a write with these preconditions is about, and its bucket.
    struct Place {
        Bucket* bucket;
        Entry* entry;
        ObjectPtr object;  // the one there is, as readers get it
    };
    // Null when there is no object.
    Entry* find_live(const Bucket* bucket, std::string_view key) const;
    Result<Place> find_for_write(std::string_view key, const Preconditions& preconditions) const;
    // Makes the object, or its absence, the entry's newest state; it must carry the next revision already. `previous`
    // is the state before, as readers get it. May erase the entry.
    void apply(Bucket& bucket, Entry& entry, ObjectPtr previous, ObjectPtr object, Difference difference);
    static VersionWeights weigh(Entry& entry, const Object* previous);
    void enqueue(Entry& entry, Revision replaces, Difference difference);
    void open_group();
    void commit_next();
    void on_durable();
    void wake_durable();
    void wake_for_room();
    void call_for_room();
    PendingGroup& group_of(Revision revision);
    void bound_history(Bucket& written);
    void bound_history_bytes();
    void forget_by_age();
    void drop_oldest(Bucket& bucket);

    os::Loop& loop_;
    Journal& journal_;
    StoreOptions options_;
    std::shared_ptr<Progress> progress_;
    std::map<std::string, std::shared_ptr<Bucket>, std::less<>> buckets_;
    mutable Bucket* last_bucket_ = nullptr;
    friend class ReadScope;
    mutable ReadScope* reads_ = nullptr;  // null: no answer depends on what is read
    std::size_t history_bytes_ = 0;
    std::size_t waiting_bytes_ = 0;
    os::WaiterLine waiting_for_room_;
    std::deque<os::Work> calls_for_room_;
    std::deque<Mark> marks_;  // when which revision was the newest, a second apart

    // Oldest first. The first is with the journal when `committing_`; the last takes new changes.
    std::deque<std::unique_ptr<PendingGroup>> groups_;
    std::uint64_t next_change_ = 1;
    bool committing_ = false;
    bool commit_posted_ = false;
    std::shared_ptr<Store*> self_;  // callbacks that come after the end find it null
};

// What an answer that is made of reads depends on: the newest of the changes that reads and refused writes of the store
// come across while this exists. An absence is a change too while its removal may not be on disk. Made for one request
// at a time, on the stack: a coroutine must not wait while it has one, as others would read meanwhile.
class ReadScope {
public:
    explicit ReadScope(const Store& store) : store_(store) {
        CHECK(!store_.reads_, "reads are for one request at a time");
        store_.reads_ = this;
    }
    ~ReadScope() { store_.reads_ = nullptr; }
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;

    Revision seen() const { return seen_; }

private:
    friend class Store;
    const Store& store_;
    Revision seen_ = 0;
};

inline void Store::note_seen(Revision revision) const {
    if (reads_) reads_->seen_ = std::max(reads_->seen_, revision);
}

}  // namespace muster::store
