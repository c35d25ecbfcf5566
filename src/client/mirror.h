// A kind's objects as this process sees them: listed once, then kept by a watch, with indexes for who is looked for
// often. It only ever lags behind; whoever has just written waits for `reached` before deciding anew.
// After a gap (history expired, connection lost) it lists again and tells the difference as changes, so that whoever
// listens never misses an object's last word.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "client/client.h"
#include "os/loop.h"
#include "os/task.h"

namespace muster::client {

// The resource version as a number, which is how Kubernetes makes them; 0 when it is not one.
std::uint64_t parse_version(std::string_view resource_version);

class AnyMirror {
public:
    using MetadataOf = const api::meta::ObjectMeta& (*)(const void* object);
    using IndexKey = std::function<Text(const void* object)>;
    using Change = std::function<void(const AnyObject& before, const AnyObject& now)>;
    using Bucket = std::map<ObjectName, AnyObject>;
    using IndexId = std::size_t;

    AnyMirror(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view, MetadataOf metadata_of);

    // Both before start().
    IndexId add_index(IndexKey key) {
        indexes_.push_back({std::move(key), {}});
        return indexes_.size() - 1;
    }
    void on_change(Change listener) { listeners_.push_back(std::move(listener)); }
    void start() { tasks_.spawn(run()); }

    bool synced() const { return synced_; }
    os::Task<void> wait_synced();
    // Everything up to that version has been seen.
    bool reached(std::uint64_t version) const { return version <= version_; }
    os::Task<void> wait_reached(std::uint64_t version);

    const Bucket& all() const { return objects_; }
    AnyObject get(const ObjectName& name) const;
    const Bucket& indexed(IndexId index, const Text& key) const;
    std::uint64_t relists() const { return relists_; }

private:
    struct TextHash {
        std::size_t operator()(const Text& text) const { return std::hash<std::string_view>()(text.view()); }
    };
    struct Index {
        IndexKey key;
        std::unordered_map<Text, Bucket, TextHash> buckets;
    };

    os::Task<void> run();
    os::Task<Result<void>> follow();
    void replace_all(const AnyListing& listing);
    void take(const AnyEvent& event);
    void put(const AnyObject& object);
    void drop(const ObjectName& name);
    void change(const ObjectName& name, const AnyObject& before, const AnyObject& now);
    void advance(std::uint64_t version);

    os::Loop& loop_;
    Client& client_;
    const api::KindInfo& kind_;
    Client::View view_;
    MetadataOf metadata_of_;
    Bucket objects_;
    std::vector<Index> indexes_;
    std::vector<Change> listeners_;
    bool synced_ = false;
    std::uint64_t version_ = 0;
    std::uint64_t relists_ = 0;
    os::Event progress_;
    os::TaskScope tasks_;
};

template <class K>
class Mirror {
public:
    using Change = std::function<void(const Ref<K>& before, const Ref<K>& now)>;  // null: was not there, is gone
    using IndexId = AnyMirror::IndexId;

    // Both must outlive it; destroying it stops it.
    Mirror(os::Loop& loop, Client& client)
        : any_(loop, client, api::kind_info<K>(), Client::View::kObject,
               [](const void* object) -> const api::meta::ObjectMeta& {
                   return static_cast<const K*>(object)->metadata;
               }) {}

    // Objects are found under what `key` gives for them; under nothing when it gives an empty text. Before start().
    IndexId add_index(std::function<Text(const K&)> key) {
        return any_.add_index(
            [key = std::move(key)](const void* object) { return key(*static_cast<const K*>(object)); });
    }
    void on_change(Change listener) {
        any_.on_change([listener = std::move(listener)](const AnyObject& before, const AnyObject& now) {
            listener(std::static_pointer_cast<const K>(before), std::static_pointer_cast<const K>(now));
        });
    }
    void start() { any_.start(); }
    bool synced() const { return any_.synced(); }
    os::Task<void> wait_synced() { return any_.wait_synced(); }
    bool reached(std::uint64_t version) const { return any_.reached(version); }
    os::Task<void> wait_reached(std::uint64_t version) { return any_.wait_reached(version); }

    Ref<K> get(const ObjectName& name) const { return std::static_pointer_cast<const K>(any_.get(name)); }
    std::size_t size() const { return any_.all().size(); }
    // In the order of namespaces and names.
    std::vector<Ref<K>> all() const { return typed(any_.all()); }
    std::vector<Ref<K>> indexed(IndexId index, const Text& key) const { return typed(any_.indexed(index, key)); }

private:
    static std::vector<Ref<K>> typed(const AnyMirror::Bucket& bucket) {
        std::vector<Ref<K>> out;
        out.reserve(bucket.size());
        for (const auto& [name, object] : bucket) out.push_back(std::static_pointer_cast<const K>(object));
        return out;
    }
    AnyMirror any_;
};

}  // namespace muster::client
